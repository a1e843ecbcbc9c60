// Alto, Pimlico's bundler, in safe mode: it validates operations by `debug_traceCall` with a tracer in JavaScript.
import { fileURLToPath } from 'node:url'
import { fundedAccount } from './node.js'
import { freePort, startProgram } from './program.js'

const PROGRAM = fileURLToPath(new URL('../node_modules/@pimlico/alto/esm/cli/alto.js', import.meta.url))
/** Gives Alto the tracer of EntryPoint 0.6. */
const TRACER_06 = fileURLToPath(new URL('./alto-tracer-06.js', import.meta.url))

/** Starts Alto for one entry point. Result and errors are those of `startProgram`. */
export async function startAlto(nodeUrl, entryPoint) {
  const port = await freePort()
  const [executor, utility] = [fundedAccount(3), fundedAccount(4)]
  const options = {
    entrypoints: entryPoint.address,
    'rpc-url': nodeUrl,
    port,
    'safe-mode': true,
    'executor-private-keys': executor.privateKey,
    'utility-private-key': utility.privateKey,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const preload = entryPoint.version === '0.6' ? ['--import', TRACER_06] : []
  return startProgram([...preload, PROGRAM, ...args], 'Server listening at', `http://127.0.0.1:${port}`)
}
