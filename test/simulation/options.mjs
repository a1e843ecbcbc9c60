import { programOptions } from '../support/program-options.mjs'

export const values = programOptions({
  command: 'simulate',
  purpose:
    'Runs the code of whole clusters in this process, on simulated time, disks and networks. A seed decides the cluster,\n' +
    'the load, every fault and the order of all effects: the same seed gives the same run. Afterwards nothing that was\n' +
    'acknowledged or announced may be lost. Ends with code 1 if a promise is broken.',
  options: {
    seeds: { value: 'N', default: 10, text: 'Number of seeds' },
    from: { value: 'SEED', default: 1, text: 'The first seed' },
    steps: { value: 'N', default: 3000, text: 'Effects with faults; afterwards the cluster recovers' },
    replay: { value: 'SEED', text: 'Run this seed only' },
    until: { value: 'STEP', text: 'End a replay after this effect' },
    trace: { text: 'Print the timeline of a replay' },
    totals: { value: 'FILE', text: 'Go on after the last seed in this file, and add the counts to it' },
    mutant: { value: 'NAME', text: 'Run the sources with a known fault; `list` prints the names' },
    mutants: { text: 'Run every known fault until a seed finds it, and print a table' },
    json: { text: 'Print one JSON object per line' },
  },
  examples: [
    '--seeds 100',
    '--replay 7 --trace',
    '--replay 7 --until 1200 --trace',
    '--seeds 50 --totals simulated.json',
    '--mutants --seeds 200',
  ],
})
