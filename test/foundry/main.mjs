// Runs Foundry's tools against each chosen node and prints what is wrong.
import { deepEqual, equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOLDER, KEYS, SENDER } from './accounts.mjs'
import { COMMANDS } from './cast-commands.mjs'
import { START } from './nodes.mjs'
import { chosenNodes, chosenParts } from './options.mjs'
import { installFoundry, isInstalled, Project } from './programs.mjs'
import { verification } from './verify.mjs'

const TRANSACTIONS = 12
const RECEIVER = '0x00000000000000000000000000000000000000aa'
const SEAL_LIMIT = 20_000

/**
 * Runs the script, which deploys a token and a counter.
 *
 * @param {number} nonce that its first transaction must have: forge ends with code 0 even where it refuses to send
 * @returns the addresses, and the highest block of a receipt
 */
function runScript(project, nonce, options = []) {
  const args = ['script', 'script/Deploy.s.sol', '--broadcast', '--private-key', KEYS[0], '--rpc-url', project.url]
  const { status, problem } = project.run('forge', [...args, ...options], { HOLDER })
  equal(status, 0, problem)
  const path = project.path('broadcast/Deploy.s.sol/31337/run-latest.json')
  const { transactions, receipts } = JSON.parse(readFileSync(path, 'utf8'))
  equal(Number(transactions[0].transaction.nonce), nonce, problem)
  deepEqual(
    receipts.map((receipt) => Number(receipt.status)),
    Array(TRANSACTIONS).fill(1),
    problem,
  )
  const addressOf = (name) => transactions.find((one) => one.contractName === name).contractAddress
  const block = Math.max(...receipts.map(({ blockNumber }) => Number(blockNumber)))
  return { token: addressOf('Token'), counter: addressOf('Counter'), holder: HOLDER, block }
}

/**
 * Three scripts in a row. forge simulates a script on the state of the block that `eth_blockNumber` names, which may be
 * older than the script before: the second one omits the simulation, and the third one begins after a seal.
 */
function scripts(project) {
  runScript(project, 0)
  runScript(project, TRANSACTIONS, ['--skip-simulation'])
  equal(project.run('cast', ['rpc', 'evm_mine']).status, 0)
  return runScript(project, 2 * TRANSACTIONS)
}

function cast(project, context) {
  for (const { args, check, fails } of COMMANDS) {
    const command = args(context)
    const { status, output, problem } = project.run('cast', command)
    try {
      if (fails === undefined) {
        equal(status, 0, problem)
        check(output, context)
      } else {
        match(problem, fails)
      }
    } catch (error) {
      throw new Error(`cast ${command.join(' ')}: ${error.message}`)
    }
  }
  return COMMANDS.length
}

/** Fork cheatcodes, of a token whose holder has sent some of it to `RECEIVER` in a later block. */
async function forks(project, { token, block }) {
  await sealed(project, block)
  const transfer = ['send', token, 'transfer(address,uint256)', RECEIVER, '1ether', '--private-key', KEYS[1], '--json']
  const sent = project.run('cast', transfer)
  equal(sent.status, 0, sent.problem)
  const { transactionHash, blockNumber } = JSON.parse(sent.output)
  await sealed(project, Number(blockNumber))
  const { status, problem, output } = project.run('forge', ['test', '--json'], {
    RPC_URL: project.url,
    TOKEN: token,
    HOLDER,
    RECEIVER,
    SENDER,
    BLOCK: `${block}`,
    TRANSACTION: transactionHash,
  })
  equal(status, 0, problem)
  const [suite] = Object.values(JSON.parse(output))
  return Object.keys(suite.test_results).length
}

/** Waits until `latest` has that block. */
async function sealed(project, block) {
  const end = performance.now() + SEAL_LIMIT
  while (Number(project.run('cast', ['block-number']).output) < block) {
    if (performance.now() > end) throw new Error(`block ${block} was not sealed within ${SEAL_LIMIT / 1_000} s`)
    await sleep(100)
  }
}

function chisel(project, { token }) {
  const evaluations = {
    'block.chainid': 'Decimal: 31337',
    [`${SENDER}.balance > 0`]: 'Value: true',
    [`${token}.code.length > 0`]: 'Value: true',
  }
  for (const [expression, expected] of Object.entries(evaluations)) {
    const { problem } = project.run('chisel', [
      '--fork-url',
      project.url,
      'eval',
      expression.replace(/0x\w{40}/, 'address($&)'),
    ])
    equal(problem.includes(expected), true, `${expression}: ${problem}`)
  }
  return Object.keys(evaluations).length
}

/** Parts that Anvil, the reference, does not have. */
const OWN_PARTS = ['verify']
const PARTS = { cast, forks, chisel, verify: verification }

installFoundry()
let failed = 0

/** Prints the result of one part. @returns what it returns, undefined if it failed */
async function report(name, run) {
  try {
    const result = await run()
    console.log(`ok      ${name}${typeof result === 'number' ? `: ${result}` : ''}`)
    return result
  } catch (error) {
    failed++
    console.log(`FAILED  ${name}\n${error.message}`)
  }
}

for (const name of chosenNodes) {
  const node = await START[name]()
  const project = new Project(node.url)
  try {
    const context = await report(`${name}, three scripts of ${TRANSACTIONS} transactions`, () => scripts(project))
    if (context === undefined) continue
    for (const part of chosenParts.filter((one) => one in PARTS)) {
      if (name === 'anvil' && OWN_PARTS.includes(part)) continue
      if (part === 'chisel' && !isInstalled('chisel')) {
        console.log(`skipped ${name}, chisel: npm has it for 64-bit x86 Linux only`)
        continue
      }
      await report(`${name}, ${part}`, () => PARTS[part](project, context))
    }
  } finally {
    project.remove()
    await node.stop()
  }
}
process.exitCode = failed > 0 ? 1 : 0
