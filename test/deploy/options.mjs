import { programOptions } from '../support/program-options.mjs'

export const values = programOptions({
  command: 'test:deploy',
  purpose:
    'Builds and runs deploy/Dockerfile with docker or podman, otherwise its steps in a directory, and runs the command of ' +
    'deploy/tickertape.service. Says what could not be done.',
  options: {
    only: { value: 'WHAT', default: 'all', choices: ['all', 'container', 'service'], text: 'What to exercise' },
  },
  examples: ['--only service'],
})
