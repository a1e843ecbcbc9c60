// User operations of a smart account: sponsored, sent through a bundler, and watched until they are pre-confirmed.
import { createSmartAccountClient } from 'permissionless'
import { toSimpleSmartAccount } from 'permissionless/accounts'
import { http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** Gas that a paymaster may use, which estimates do not include. */
const PAYMASTER_GAS = { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 1n }

/**
 * A smart account with a new owner, which does not exist before its first operation.
 *
 * @returns the account, and a client that sends its operations through the bundler; the paymaster pays for them
 */
export async function createAccount(client, { entryPoint, factory, paymaster, bundlerUrl, gas = {} }) {
  const account = await toSimpleSmartAccount({
    client,
    owner: privateKeyToAccount(generatePrivateKey()),
    factoryAddress: factory,
    entryPoint,
  })
  const sponsorship =
    entryPoint.version === '0.6'
      ? { paymasterAndData: paymaster }
      : { paymaster, paymasterData: '0x', ...PAYMASTER_GAS }
  const smart = createSmartAccountClient({
    account,
    chain: client.chain,
    client,
    bundlerTransport: http(bundlerUrl, { retryCount: 0 }),
    paymaster: { getPaymasterData: async () => sponsorship },
  })
  return { account, smart, gas }
}

/**
 * Sends an operation and waits until a flashblock contains it.
 *
 * @returns hashes and milliseconds: from the request until the bundler had validated and accepted the operation, from
 *   the request until the bundle was in the node's pool, and from there until the pre-confirmation
 * @throws Error with the message of the bundler in `details` if it refuses the operation
 */
export async function sendOperation({ account, smart, gas }, watched, call) {
  const prepared = await smart.prepareUserOperation({ calls: [call], ...gas })
  const signature = await account.signUserOperation(prepared)
  const entryPointAddress = account.entryPoint.address
  const sentAt = performance.now()
  // Without an account nothing is prepared a second time.
  const hash = await smart.sendUserOperation({ ...prepared, signature, account: null, entryPointAddress })
  const acceptedAt = performance.now()
  const { success, transactionHash, submittedAt, preconfirmedAt } = await watched.inclusion(hash)
  if (!success) throw new Error(`operation ${hash} failed in transaction ${transactionHash}`)
  return {
    hash,
    transactionHash,
    acceptedMs: acceptedAt - sentAt,
    submittedMs: submittedAt - sentAt,
    preconfirmedMs: preconfirmedAt - submittedAt,
  }
}
