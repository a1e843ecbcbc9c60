import { programOptions } from '../../support/program-options.mjs'

// `npm run fuzz -- rlp` is short for `--target rlp`.
if (process.argv[2]?.startsWith('-') === false) process.argv.splice(2, 0, '--target')

export const options = programOptions({
  command: 'fuzz',
  purpose:
    'Runs a decoder of untrusted bytes on changed copies of known inputs. Inputs that reach new code become known ones,\n' +
    'so that later ones get further. A decoder fails if it throws another error than the documented one, or if its\n' +
    'result is wrong. Ends with code 1 and prints the smallest input found, if a decoder fails.',
  options: {
    target: {
      value: 'NAME',
      default: 'all',
      text: 'The decoder; `list` prints the names, `all` runs one after the other',
    },
    minutes: { value: 'N', default: 1, text: 'Time for each decoder' },
    seed: { value: 'S', default: 1, text: 'Number from which the changes follow' },
    input: { value: 'HEX', text: 'Run the decoder on this input only' },
    save: { text: 'Write the inputs that reached new code to test/fuzz/corpus' },
    continue: { value: 'FILE', text: 'Add the counts to those in this file, with changes that it has not seen' },
    json: { text: 'Print one JSON object per line' },
  },
  examples: [
    'rlp --minutes 15',
    'transaction --input 0x02c0',
    '--minutes 5 --save',
    'all --minutes 3 --continue fuzzed.json',
  ],
})
