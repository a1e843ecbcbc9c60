// The whole example: contracts, a bundler, sponsored operations of a new account, and one that safe mode refuses.
import { encodeFunctionData, erc20Abi } from 'viem'
import { deployContracts, ENTRY_POINTS } from './contracts.js'
import { connect, preconfirmedUrl, watchUserOperations } from './node.js'
import { createAccount, sendOperation } from './operations.js'

/** Wrapped ether, which is in block 0. Each operation changes the allowance of an address. */
const WETH = '0x4200000000000000000000000000000000000006'
const SPENDER = '0x0000000000000000000000000000000000004337'

/**
 * @param {{
 *   nodeUrl: string,
 *   version: '0.6' | '0.7' | '0.8',
 *   startBundler: (nodeUrl: string, entryPoint: object) => ReturnType<typeof import('./program.js').startProgram>,
 *   operations: number,
 *   gas?: object,
 *   afterEach?: (client: object) => Promise<void>,
 * }} options `gas` has limits for bundlers that cannot estimate them, `afterEach` is awaited after each operation
 * @param {(line: string) => void} print called with each line of the report
 * @returns the results of `sendOperation`, and why the bundler refused the last operation
 * @throws Error with the output of the bundler if an operation fails, or if the last one is not refused
 */
export async function runSession({ nodeUrl, version, startBundler, operations, gas, afterEach }, print) {
  const url = preconfirmedUrl(nodeUrl)
  const client = await connect(url)
  const entryPoint = ENTRY_POINTS[version]
  const { factory, sponsor, clockReader } = await deployContracts(client, entryPoint)
  print(`EntryPoint ${version}: ${entryPoint.address}`)
  const bundler = await startBundler(url, entryPoint)
  const watched = await watchUserOperations(url, entryPoint.address)
  const accountOf = (paymaster) =>
    createAccount(client, { entryPoint, factory, paymaster, bundlerUrl: bundler.url, gas })
  try {
    const results = []
    const sender = await accountOf(sponsor)
    print(`account: ${sender.account.address}, which the first operation deploys; paymaster: ${sponsor}`)
    for (let index = 1n; index <= operations; index++) {
      const result = await sendOperation(sender, watched, approval(index))
      print(`operation ${index}: ${describe(result)}`)
      await expectAllowance(client, sender.account.address, index)
      await afterEach?.(client)
      results.push(result)
    }
    const refusal = await refusalOf(sendOperation(await accountOf(clockReader), watched, approval(0n)))
    print(`refused, because its paymaster reads the clock during validation: "${refusal}"`)
    return { results, refusal }
  } catch (error) {
    const reason = `${error.shortMessage ?? error.message} ${error.details?.slice(-500) ?? ''}`
    throw new Error(`${reason}\nOutput of the bundler:\n${bundler.output().slice(-2_000)}`, { cause: error })
  } finally {
    await bundler.stop()
    await watched.close()
  }
}

/** The call that an operation makes. */
function approval(amount) {
  return { to: WETH, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [SPENDER, amount] }) }
}

/** @throws Error unless the pre-confirmed state has the effect of the operation */
async function expectAllowance(client, owner, expected) {
  const read = { address: WETH, abi: erc20Abi, functionName: 'allowance', args: [owner, SPENDER] }
  const allowance = await client.readContract(read)
  if (allowance !== expected) throw new Error(`the allowance is ${allowance}, not ${expected}`)
}

/** @returns the message of the bundler */
async function refusalOf(sending) {
  const error = await sending.then(
    () => undefined,
    (reason) => reason,
  )
  if (error === undefined) throw new Error('the bundler accepted an operation whose paymaster reads the clock')
  return error.details
}

function describe({ acceptedMs, submittedMs, preconfirmedMs }) {
  const [accepted, submitted, preconfirmed] = [acceptedMs, submittedMs, preconfirmedMs].map(Math.round)
  return `accepted after ${accepted} ms, in a bundle after ${submitted} ms, pre-confirmed ${preconfirmed} ms later`
}
