// Alto, the bundler, and permissionless, its client: user operations of a smart account in a row.
//   node alto.mjs URL
import { deepEqual, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createSmartAccountClient } from 'permissionless'
import { toSimpleSmartAccount } from 'permissionless/accounts'
import { createPimlicoClient } from 'permissionless/clients/pimlico'
import { encodeDeployData, http, parseEther } from 'viem'
import { entryPoint07Address } from 'viem/account-abstraction'
import { freePort } from '../../bench/support/peers.mjs'
import { connect, deployOnce, FACTORIES, fundedAccount } from './chain.mjs'

const require = createRequire(import.meta.url)
const artifact = (name) => require(`@account-abstraction/contracts/artifacts/${name}.json`)
const PROGRAM = fileURLToPath(new URL('node_modules/.bin/alto', import.meta.url))
/** With this salt the entry point has its address of every chain. */
const ENTRY_POINT_SALT = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3'
const RECEIVER = '0x0000000000000000000000000000000000004337'
const OPERATIONS = 3
/** Milliseconds for the start, and for one operation. */
const TIME_LIMIT = 60_000

/** Starts Alto and waits until it listens. @throws Error with its output if it ends or takes too long */
async function startAlto(url) {
  const port = await freePort()
  const [executor, utility] = [fundedAccount(3), fundedAccount(4)]
  const child = spawn(
    PROGRAM,
    [
      ['--entrypoints', entryPoint07Address],
      ['--rpc-url', url],
      ['--port', `${port}`],
      ['--safe-mode', 'false'],
      ['--deploy-simulations-contract', 'true'],
      ['--executor-private-keys', executor.privateKey],
      ['--utility-private-key', utility.privateKey],
    ].flat(),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const exited = once(child, 'exit')
  let output = ''
  const listens = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (output.includes('Server listening at')) resolve(true)
      })
    }
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT)
  const isReady = await Promise.race([listens, exited.then(() => false)])
  clearTimeout(limit)
  if (!isReady) throw new Error(`Alto is not ready:\n${output}`)
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Sends operations one after another, the first one creates the account, and then at once. */
async function sendOperations(client, bundlerUrl) {
  const { abi, bytecode } = artifact('SimpleAccountFactory')
  const creation = encodeDeployData({ abi, bytecode, args: [entryPoint07Address] })
  const account = await toSimpleSmartAccount({
    client,
    owner: fundedAccount(5).account,
    factoryAddress: await deployOnce(client, FACTORIES.common, creation),
    entryPoint: { address: entryPoint07Address, version: '0.7' },
  })
  const hash = await client.sendTransaction({ to: account.address, value: parseEther('1') })
  await client.waitForTransactionReceipt({ hash })

  const { chain } = client
  const bundlerTransport = http(bundlerUrl)
  const pimlico = createPimlicoClient({
    chain,
    transport: bundlerTransport,
    entryPoint: { address: entryPoint07Address, version: '0.7' },
  })
  const smart = createSmartAccountClient({
    account,
    chain,
    client,
    bundlerTransport,
    userOperation: { estimateFeesPerGas: async () => (await pimlico.getUserOperationGasPrice()).fast },
  })
  const send = (nonce) => smart.sendUserOperation({ calls: [{ to: RECEIVER, value: 1n }], nonce })
  async function executed(userOperation) {
    const { success, receipt } = await smart.waitForUserOperationReceipt({ hash: userOperation, timeout: TIME_LIMIT })
    deepEqual([success, receipt.status], [true, 'success'])
  }
  for (let done = 0n; done < OPERATIONS; done++) {
    await executed(await send(await account.getNonce({ key: 0n })))
    deepEqual(
      [await client.getBalance({ address: RECEIVER }), await account.getNonce({ key: 0n })],
      [done + 1n, done + 1n],
    )
  }
  // Sequences of nonces with other keys do not depend on each other.
  const keys = Array.from({ length: OPERATIONS }, (_, index) => BigInt(index + 1))
  const sent = await Promise.all(keys.map(async (key) => send(await account.getNonce({ key }))))
  await Promise.all(sent.map(executed))
}

const client = await connect(process.argv[2])
const entryPoint = await deployOnce(client, FACTORIES.common, artifact('EntryPoint').bytecode, ENTRY_POINT_SALT)
equal(entryPoint, entryPoint07Address)
const bundler = await startAlto(process.argv[2])
try {
  await sendOperations(client, bundler.url)
} catch (error) {
  throw new Error(`${error.message}\nOutput of Alto:\n${bundler.output().slice(-4_000)}`, { cause: error })
} finally {
  await bundler.stop()
}
