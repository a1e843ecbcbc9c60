import { Command } from 'commander'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'
import { readBoundedFile } from '../../primitives/bounded-file.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { SupplyProofError, type VerifiedSupply, verifySupply } from '../../rest/supply-proof/verify-supply.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { type CommandResult, runChainCommand } from './chain-command.ts'

const EXAMPLES = `
Exit codes: 0 the supply is proven, 1 it is not, 2 wrong usage or no proof

Examples, with the hash of a sealed block from a source that you trust:
  $ HASH=0x5c3b…
  $ tickertape verify-supply "http://127.0.0.1:8545/v1/tokenized-stocks/HLCYNd/supply-proof?block=$HASH" --trusted-hash $HASH
  $ tickertape verify-supply proof.json --trusted-hash $HASH --json
`

interface VerifySupplyFlags {
  readonly trustedHash: string
  readonly chainId?: string
  readonly fork?: string
  readonly json: boolean
}

/** `tickertape verify-supply` */
export function verifySupplyCommand(): Command {
  return endingOnWrongUsage(new Command('verify-supply'))
    .description('Recompute the supply of a token from its proof, trusting only the hash of a block (docs/stocks.md)')
    .argument('<file or URL>', 'a supply proof: a file, or the URL of a service')
    .option('--trusted-hash <hash>', 'hash of the block, from a source that you trust')
    .option('--chain-id <id>', 'expected chain id; default: that of the proof')
    .option('--fork <name>', 'expected fork of Ethereum, such as osaka; default: that of the proof')
    .option('--json', 'one line of JSON on standard output', false)
    .showHelpAfterError('(tickertape verify-supply --help lists every flag)')
    .addHelpText('after', EXAMPLES)
    .action((source: string, flags: Partial<VerifySupplyFlags>, command: Command) => {
      const { trustedHash, json = false } = flags
      // Not required by commander, which would not know the environment variable.
      if (trustedHash === undefined)
        command.error('error: --trusted-hash is missing: the hash of a block that you trust')
      return runChainCommand({ json }, () => verified(source, { ...flags, trustedHash, json }))
    })
}

/** Largest proof that is read. */
const MAX_BYTES = 64 * 2 ** 20
const TIMEOUT_MS = 30_000
const MAX_SHOWN_CHARACTERS = 300

async function verified(source: string, { trustedHash, chainId, fork }: VerifySupplyFlags): Promise<CommandResult> {
  if (!/^0x[0-9a-f]{64}$/i.test(trustedHash)) {
    throw new SupplyProofError('INVALID_SUPPLY_PROOF', '--trusted-hash must be a block hash: 0x and 64 hex digits')
  }
  const rules = { ...(chainId !== undefined && { chainId: idOf(chainId) }), ...(fork !== undefined && { fork }) }
  const text = /^https?:\/\//i.test(source) ? await download(source) : readBoundedFile(source, MAX_BYTES).toString()
  try {
    return resultOf(await verifySupply(documentIn(text), { trustedHash, rules }))
  } catch (error) {
    if (!(error instanceof SupplyProofError) || error.code === 'INVALID_SUPPLY_PROOF') throw error
    const { code, message } = error
    return { exitCode: 1, line: `Not proven: ${message}`, value: { verified: false, error: { code, message } } }
  }
}

function idOf(text: string): bigint {
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text)
  throw new SupplyProofError('INVALID_SUPPLY_PROOF', '--chain-id must be a decimal number')
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SupplyProofError('INVALID_SUPPLY_PROOF', `this is no supply proof, because it is no JSON: ${error}`)
  }
}

/** @throws SupplyProofError unless the service answers with a proof of at most MAX_BYTES */
async function download(url: string): Promise<string> {
  const failed = (why: string) =>
    new SupplyProofError('INVALID_SUPPLY_PROOF', `${new URL(url).host} gave no proof: ${why}`)
  try {
    const response = await boundedFetch(MAX_BYTES)(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await response.text()
    if (!response.ok) throw failed(`HTTP ${response.status} ${foreignText(text, MAX_SHOWN_CHARACTERS)}`)
    return text
  } catch (error) {
    if (error instanceof SupplyProofError) throw error
    throw failed(error instanceof Error ? error.message : String(error))
  }
}

function resultOf(supply: VerifiedSupply): CommandResult {
  const { contractAddress, totalSupply, decimals, multiplier, blockNumber, blockHash, rules } = supply
  const { chainId, fork, upgrade } = rules
  const names = [`chain ${chainId}`, fork, ...(upgrade === undefined ? [] : [upgrade])].join(', ')
  return {
    exitCode: 0,
    line: `Proven: ${totalSupply} units of ${contractAddress} at block ${blockNumber} ${blockHash}, multiplier ${multiplier}, by the rules of ${names}`,
    value: {
      verified: true,
      contractAddress,
      totalSupply,
      decimals,
      multiplier,
      blockNumber,
      blockHash,
      rules: { ...rules, chainId: String(chainId) },
    },
  }
}
