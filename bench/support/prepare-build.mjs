// `node prepare-build.mjs CHECKOUT DATADIR GAS_LIMIT BLOCKS`: prepares a chain with the build of another checkout. It
// runs in a process of its own because two builds in one process would share the native part of LMDB.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [checkout, datadir, gasLimit, file] = process.argv.slice(2)
const blocks = JSON.parse(readFileSync(file, 'utf8')).map((block) =>
  block.map((bytes) => ({ bytes: Buffer.from(bytes, 'hex') })),
)
const { prepareChain } = await import(pathToFileURL(join(checkout, 'bench/support/prepared-chain.mjs')).href)
await prepareChain(datadir, BigInt(gasLimit), blocks)
