// The reference bundler of ERC-4337's authors (eth-infinitism/bundler), as MetaMask publishes it: EntryPoint 0.6 only.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fundedAccount, MNEMONIC } from '../../examples/bundler/src/node.js'
import { freePort, startProgram } from '../../examples/bundler/src/program.js'

const PROGRAM = fileURLToPath(new URL('./node_modules/@metamask/test-bundler/dist/bundler/exec.js', import.meta.url))

/** How `runSession` uses the bundler. */
export const referenceBundler = {
  startBundler: startReferenceBundler,
  /** It cannot estimate operations whose limits are zero, as viem sends them. */
  gas: { callGasLimit: 100_000n, verificationGasLimit: 600_000n, preVerificationGas: 100_000n },
  /**
   * Before a bundle it reads logs from the block after that of the last operation on. The node refuses a range that
   * begins above `latest`, as go-ethereum does: two blocks are sealed in between.
   */
  async afterEach(client) {
    for (let blocks = 0; blocks < 2; blocks++) await client.request({ method: 'evm_mine' })
  },
}

/** Starts it in safe mode. Result and errors are those of `startProgram`. */
async function startReferenceBundler(nodeUrl, entryPoint) {
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-bundler-'))
  const [mnemonic, config] = [join(folder, 'mnemonic'), join(folder, 'config.json')]
  const port = await freePort()
  writeFileSync(mnemonic, MNEMONIC)
  const settings = {
    entryPoint: entryPoint.address,
    network: nodeUrl,
    port: `${port}`,
    mnemonic,
    beneficiary: fundedAccount(6).account.address,
    unsafe: false,
    conditionalRpc: false,
    minBalance: '0',
    maxBundleGas: 5_000_000,
    // Each operation is bundled at once.
    autoBundleInterval: 0,
    autoBundleMempoolSize: 0,
  }
  writeFileSync(config, JSON.stringify(settings))
  try {
    return await startProgram([PROGRAM, '--config', config], 'running on', `http://127.0.0.1:${port}/rpc`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
