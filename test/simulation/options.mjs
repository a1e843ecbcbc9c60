import { programOptions } from '../support/program-options.mjs'

export const values = programOptions({
  command: 'simulate',
  purpose:
    'Runs the code of whole clusters in this process, on simulated time, disks and networks. A seed decides the cluster,\n' +
    'the load, every fault and the order of all effects: the same seed gives the same run. Afterwards nothing that was\n' +
    'acknowledged or announced may be lost. Ends with code 1 if a promise is broken.',
  options: {
    seeds: { value: 'N', default: 10, text: 'Number of seeds; 0: until the program is interrupted' },
    from: { value: 'SEED', default: 1, text: 'The first seed' },
    steps: { value: 'N', default: 3000, text: 'Effects with faults; afterwards the cluster recovers' },
    mode: {
      value: 'MODE',
      default: 'safety',
      choices: ['safety', 'liveness'],
      text: 'safety: all faults end; liveness: they stay, except in a core of machines',
    },
    profile: { value: 'NAME', default: 'all', text: 'Kinds of clusters and faults; `list` prints the names' },
    replay: { value: 'SEED', text: 'Run this seed only' },
    until: { value: 'STEP', text: 'End a replay after this effect' },
    skip: { value: 'LIST', text: 'Numbers of faults that do not happen, such as 1-4,7' },
    limit: {
      value: 'LIST',
      text: 'Parts of a cluster at most, such as replicas=0,clients=1 (nodes, replicas, readers, clients, subscribers, filters)',
    },
    trace: { text: 'Print the timeline of a replay' },
    page: { value: 'FILE', text: 'Write a page that plays a replay' },
    shrink: { text: 'Look for a smaller run with the same failure, and print its command' },
    continue: { value: 'FILE', text: 'Go on after the last seed in this file, and add the counts to it' },
    mutant: { value: 'NAME', text: 'Run the sources with a known fault; `list` prints the names' },
    mutants: { text: 'Run every known fault until a seed finds it, and print a table' },
    coverage: { text: 'Print which lines of src/node, src/replication and src/server/cluster no seed reached' },
    json: { text: 'Print one JSON object per line' },
  },
  examples: [
    '--seeds 100',
    '--replay 7 --trace',
    '--replay 7 --until 1200 --trace',
    '--replay 7 --shrink',
    '--mode liveness --profile nats',
    '--seeds 0 --continue simulated.json',
    '--mutants --seeds 200',
    '--coverage --seeds 60',
  ],
})
