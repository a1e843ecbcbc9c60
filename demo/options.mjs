import { parseArgs } from 'node:util'

const USAGE = `Usage: npm run demo -- [options]

Exercises a Tickertape node as a client would and checks the results against the interface specification.
Without --url it starts its own node with both networks and stops it at the end.

Options:
  --url <url>          JSON-RPC of a running main network; WebSocket and REST are expected on the same port
  --testnet-url <url>  JSON-RPC of its test network
  --json               one JSON document instead of the table
  --help               this text

Exit status: 0 everything is as specified, 1 something is not (or no node answers), 2 these options are wrong.

Examples:
  $ npm run demo
  $ npm run demo -- --url http://127.0.0.1:8545
  $ npm run demo -- --url http://127.0.0.1:8545 --testnet-url http://127.0.0.1:8546
  $ npm run --silent demo -- --json > seen.json
`

/** Parses the command line. Ends the process after --help and on wrong usage. */
export function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: 'string' },
        'testnet-url': { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(USAGE)
      process.exit(0)
    }
    const url = values.url && httpUrl('--url', values.url)
    const testnetUrl = values['testnet-url'] && httpUrl('--testnet-url', values['testnet-url'])
    if (testnetUrl && !url)
      throw new Error('--testnet-url requires --url: otherwise the demonstration starts both networks')
    return { url, testnetUrl, json: values.json }
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(2)
  }
}

function httpUrl(flag, text) {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error(`${flag} must be a URL like http://127.0.0.1:8545, not ${text}`)
  }
  return text.replace(/\/+$/, '')
}
