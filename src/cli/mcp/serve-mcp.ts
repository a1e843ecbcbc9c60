import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { ValuesOf } from '../../flags/flag.ts'
import { VERSION } from '../../service/version.ts'
import { currentContracts } from '../reports/built-contracts.ts'
import { JsonRpc } from '../stock/chain/json-rpc.ts'
import { ArtifactFolder } from '../terminal/artifact-folder.ts'
import { ArtifactsError, requireArtifacts } from '../terminal/read-artifacts.ts'
import type { MCP_FLAGS } from './mcp-flags.ts'
import { INSTRUCTIONS, McpTools } from './mcp-tools.ts'
import { Contracts } from './names/contracts.ts'
import { loadSdk, McpStartError } from './sdk.ts'

export { McpStartError }

type McpOptions = ValuesOf<typeof MCP_FLAGS>

/** Standard output belongs to the protocol. */
const STANDARD_ERROR = 2

/**
 * Serves the tools on standard input and output until the client closes the input or a signal arrives.
 *
 * @throws McpStartError when the SDK or the folder of artifacts is missing
 */
export async function serveMcp(options: McpOptions): Promise<void> {
  const log = pino({ level: 'warn' }, pino.destination(STANDARD_ERROR))
  const artifacts = artifactsOf(options, log)
  const { Server, StdioServerTransport, ListToolsRequestSchema, CallToolRequestSchema } = await loadSdk([
    process.cwd(),
    dirname(fileURLToPath(import.meta.url)),
  ])
  const tools = toolsOf(options, artifacts)
  const server = new Server(
    { name: 'tickertape', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: tools.list() }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const { name, arguments: args } = params as { readonly name: string; readonly arguments?: unknown }
    return tools.call(name, args)
  })
  server.onerror = (error) => log.warn({ err: error }, 'a message of the client cannot be handled')
  const end = () => void server.close().then(() => process.exit(0))
  process.stdin.once('end', end)
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  await server.connect(new StdioServerTransport())
}

/** The tools at a node. */
export function toolsOf(
  options: Omit<McpOptions, 'abi'> & Partial<Pick<McpOptions, 'abi'>>,
  artifacts?: ArtifactFolder,
): McpTools {
  const { rpcUrl, requestTimeoutMs, allowWrites, abi } = options
  const rpc = new JsonRpc({ url: rpcUrl, timeoutMs: requestTimeoutMs })
  const contracts = new Contracts({ rpcUrl, requestTimeoutMs }, { rpc, artifacts })
  const clock = { now: () => performance.now(), sleep: (wait: number) => sleep(wait) }
  return new McpTools(
    { allowWrites },
    { rpcUrl, requestTimeoutMs, rpc, contracts, built: currentContracts(abi), ...clock },
  )
}

function artifactsOf({ abi }: McpOptions, log: pino.Logger): ArtifactFolder | undefined {
  if (abi === undefined) return undefined
  try {
    requireArtifacts(abi)
  } catch (error) {
    if (error instanceof ArtifactsError) throw new McpStartError(error.message)
    throw error
  }
  return new ArtifactFolder(abi, { log, now: () => performance.now() })
}
