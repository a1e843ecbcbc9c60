// `npm run demo`: exercises a node as a client would and checks the results against the interface specification.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'
import { DEVELOPMENT_ACCOUNTS } from '../dist/chain/accounts/development-accounts.js'
import { startNode } from '../scripts/support/node-process.mjs'
import { openFeeds } from './feeds.mjs'
import { connect } from './network.mjs'
import { readOptions } from './options.mjs'
import { Report } from './report.mjs'
import { flashblocks } from './steps/flashblocks.mjs'
import { pendingBlock } from './steps/pending-block.mjs'
import { poolErrors } from './steps/pool-errors.mjs'
import { sealing } from './steps/sealing.mjs'
import { simulation } from './steps/simulation.mjs'
import { stockSupply } from './steps/stock-supply.mjs'
import { synchronousSend } from './steps/synchronous-send.mjs'
import { unsubscribing } from './steps/unsubscribing.mjs'
import { within } from './time-limit.mjs'
import { compileToken } from './token.mjs'

/** Milliseconds. A step waits for a few blocks at most. */
const STEP_LIMIT = 45_000
const DEMO_LIMIT = 150_000

/** Executed in this order: later steps use the context of earlier ones. */
const STEPS = [pendingBlock, sealing, synchronousSend, simulation, poolErrors, stockSupply, unsubscribing, flashblocks]

const options = readOptions(process.argv.slice(2))
const report = new Report(options, { write: (text) => process.stdout.write(text) })
const started = performance.now()
const deadline = setTimeout(() => {
  report.broken(new Error(`the demonstration did not end within ${DEMO_LIMIT / 1000} s`))
  finish()
}, DEMO_LIMIT)
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

try {
  await run()
} catch (error) {
  report.broken(error)
}
clearTimeout(deadline)
finish()

async function run() {
  report.step('Preparing')
  const artifact = compileToken()
  const node = options.url ? undefined : await startNode(['--testnet'])
  try {
    const main = await connect(node ?? urlsOf(options.url))
    const testUrls = node?.testnet ?? (options.testnetUrl && urlsOf(options.testnetUrl))
    const test = testUrls && (await connect(testUrls))
    report.note(`${await main.request('web3_clientVersion')} at ${main.urls.rpc}, chain ${main.chainId}`)
    if (test) report.note(`its test network at ${test.urls.rpc}, chain ${test.chainId}`)
    const accounts = demoAccounts()
    const feeds = await openFeeds(main.socket, accounts.recipient.address)
    report.note('subscribed to pendingLogs, newFlashblockTransactions, newHeads and newFlashblocks')
    const context = { report, main, test, artifact, accounts, feeds }
    for (const { title, run: carryOut } of STEPS) {
      report.step(title)
      await within(carryOut(context), STEP_LIMIT, 'the step to end').catch((error) => report.broken(error))
    }
    await main.close()
  } finally {
    await node?.stop()
  }
}

/** Development accounts with funds, and one that is unused. */
function demoAccounts() {
  const [stockOwner, minter] = DEVELOPMENT_ACCOUNTS.map(({ privateKey }) => privateKeyToAccount(bytesToHex(privateKey)))
  return { stockOwner, minter, recipient: privateKeyToAccount(generatePrivateKey()) }
}

function urlsOf(rpc) {
  return { rpc, ws: rpc.replace(/^http/, 'ws'), rest: new URL(rpc).origin }
}

/** Ends the process, with open connections and a node that it started. */
function finish() {
  report.finish((performance.now() - started) / 1000)
  process.exit(report.failed === 0 ? 0 : 1)
}
