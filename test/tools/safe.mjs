// Safe through its protocol kit: transactions of two owners in a row, and a change of the threshold.
//   node safe.mjs URL
// A program of its own, because the protocol kit keeps clients for a chain id as long as its process lives.
import { deepEqual, equal } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { connect, deployOnce, FACTORIES, fundedAccount } from './chain.mjs'

const require = createRequire(import.meta.url)
// The build for import of the protocol kit is not found by its own name under Node.
const { default: Safe } = require('@safe-global/protocol-kit')
const artifact = (path) => require(`@safe-global/safe-contracts/build/artifacts/contracts/${path}.json`)

const CONTRACTS = {
  safeSingletonAddress: 'SafeL2.sol/SafeL2',
  safeProxyFactoryAddress: 'proxies/SafeProxyFactory.sol/SafeProxyFactory',
  multiSendAddress: 'libraries/MultiSend.sol/MultiSend',
  multiSendCallOnlyAddress: 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
  fallbackHandlerAddress: 'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
  signMessageLibAddress: 'libraries/SignMessageLib.sol/SignMessageLib',
  createCallAddress: 'libraries/CreateCall.sol/CreateCall',
  simulateTxAccessorAddress: 'accessors/SimulateTxAccessor.sol/SimulateTxAccessor',
}
const RECEIVER = '0x0000000000000000000000000000000000001234'

/** Deploys Safe's contracts. @returns their addresses, for chains that the protocol kit does not know */
async function deployContracts(client) {
  const addresses = {}
  for (const [name, path] of Object.entries(CONTRACTS)) {
    addresses[name] = await deployOnce(client, FACTORIES.safe, artifact(path).bytecode)
  }
  return { [client.chain.id]: addresses }
}

async function run(url) {
  const client = await connect(url)
  const [first, second] = [fundedAccount(1), fundedAccount(2)]
  const owners = [first.account.address, second.account.address]
  const contractNetworks = await deployContracts(client)
  const shared = { provider: url, contractNetworks }
  const predictedSafe = { safeAccountConfig: { owners, threshold: 2 }, safeDeploymentConfig: { safeVersion: '1.4.1' } }

  const predicted = await Safe.init({ ...shared, signer: first.privateKey, predictedSafe })
  const safeAddress = await predicted.getAddress()
  const { to, data, value } = await predicted.createSafeDeploymentTransaction()
  for (const transaction of [
    { to, data, value: BigInt(value) },
    { to: safeAddress, value: 1_000n },
  ]) {
    await client.waitForTransactionReceipt({ hash: await client.sendTransaction(transaction) })
  }

  const [one, two] = await Promise.all(
    [first, second].map(({ privateKey }) => Safe.init({ ...shared, signer: privateKey, safeAddress })),
  )
  /** Signs as both owners, executes, and reads the nonce at once. */
  async function execute(transaction, signers = [one, two]) {
    let signed = transaction
    for (const signer of signers) signed = await signer.signTransaction(signed)
    const before = await one.getNonce()
    const { hash } = await one.executeTransaction(signed)
    const { status } = await client.waitForTransactionReceipt({ hash })
    equal(status, 'success')
    equal(await one.getNonce(), before + 1)
  }
  const transfer = (value) => ({ to: RECEIVER, value: `${value}`, data: '0x' })

  deepEqual([await one.isSafeDeployed(), await one.getOwners(), await one.getThreshold()], [true, owners, 2])
  await execute(await one.createTransaction({ transactions: [transfer(1)] }))
  await execute(await one.createTransaction({ transactions: [transfer(20), transfer(300)], onlyCalls: true }))
  await execute(await two.createChangeThresholdTx(1))
  await execute(await one.createTransaction({ transactions: [transfer(4)] }), [two])
  deepEqual([await one.getThreshold(), await one.getBalance()], [1, 675n])
  equal(await client.getBalance({ address: RECEIVER }), 325n)
}

await run(process.argv[2])
