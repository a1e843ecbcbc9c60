import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The official SDK of the protocol, which is no dependency of the node. */
const PACKAGE = '@modelcontextprotocol/sdk'
/** The version that the tests run with; later ones of the same major version work, too. */
export const SDK_VERSION = '1.32.2'

type Handler = (request: { readonly params?: unknown }) => Promise<object>

/** The members of the SDK that are used. */
export interface McpSdk {
  readonly Server: new (
    info: object,
    options: object,
  ) => {
    setRequestHandler(schema: unknown, handler: Handler): void
    connect(transport: unknown): Promise<void>
    close(): Promise<void>
    onerror?: (error: Error) => void
  }
  readonly StdioServerTransport: new () => unknown
  readonly ListToolsRequestSchema: unknown
  readonly CallToolRequestSchema: unknown
}

/** `tickertape mcp` cannot start. */
export class McpStartError extends Error {
  override readonly name = 'McpStartError'
}

/**
 * Loads the SDK from `node_modules` of these directories or of those above them; nearer ones first.
 *
 * @throws McpStartError with the line that installs it
 */
export async function loadSdk(directories: readonly string[]): Promise<McpSdk> {
  const found = directories
    .flatMap(withParents)
    .map((directory) => join(directory, 'node_modules', PACKAGE))
    .find((directory) => existsSync(join(directory, 'package.json')))
  if (found === undefined) {
    throw new McpStartError(
      `tickertape mcp needs the SDK of the Model Context Protocol, which is not installed: npm install ${PACKAGE}@${SDK_VERSION} ` +
        'in this folder, or above it if this is a checkout of the node',
    )
  }
  try {
    const load = (path: string) => import(pathToFileURL(join(found, 'dist/esm', path)).href)
    const modules = await Promise.all([load('server/index.js'), load('server/stdio.js'), load('types.js')])
    return Object.assign({}, ...modules) as McpSdk
  } catch (error) {
    throw new McpStartError(`the SDK in ${found} cannot be loaded: ${(error as Error).message}`, { cause: error })
  }
}

function withParents(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...withParents(parent)]
}
