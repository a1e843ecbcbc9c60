import { outputSchema } from '../../src/cli/output/command-outputs.ts'
import { REGISTRY_SCHEMA } from '../../src/rest/tokenized-stocks/registry-schema.ts'
import { cliPage } from './cli-page.ts'
import { errorsPage } from './errors-page.ts'
import { mcpPage } from './mcp-page.ts'
import { metricsPage } from './metrics-page.ts'
import { operationsPage } from './operations-page.ts'
import { restPage } from './rest-page.ts'
import { rpcPage } from './rpc-page.ts'

/** Generated pages of `docs/`, or pages with a generated part, by file name; made from the page as it is now. */
export const PAGES: ReadonlyMap<string, (written: string) => string> = new Map([
  ['cli.md', cliPage],
  ['command-output.schema.json', outputSchemaPage],
  ['errors.md', errorsPage],
  ['mcp.md', mcpPage],
  ['metrics.md', metricsPage],
  ['operations.md', operationsPage],
  ['rest.md', restPage],
  ['rpc.md', rpcPage],
  ['stocks-registry.schema.json', registrySchemaPage],
])

/** `docs/stocks-registry.schema.json`: schema of the stock registry. */
export function registrySchemaPage(): string {
  return `${JSON.stringify(REGISTRY_SCHEMA, undefined, 2)}\n`
}

/** `docs/command-output.schema.json`: schemas of what commands print for programs. */
function outputSchemaPage(): string {
  return `${JSON.stringify(outputSchema(), undefined, 2)}\n`
}
