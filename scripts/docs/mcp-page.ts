import { TOOLS } from '../../src/cli/mcp/mcp-tools.ts'
import type { Tool } from '../../src/cli/mcp/tools/tool.ts'
import { code, table, withGeneratedPart } from './markdown.ts'

const EFFECTS: Readonly<Record<Tool['effect'], string>> = {
  read: 'reads',
  write: 'writes',
  destructive: 'writes, destructive',
}

/** `docs/mcp.md`: the page as written, with the current table of tools. */
export function mcpPage(written: string): string {
  const rows = TOOLS.map(({ name, effect, description, inputSchema }) => [
    code(name),
    EFFECTS[effect],
    description,
    Object.keys(inputSchema.properties as object)
      .map(code)
      .join(', '),
  ])
  const tools = table(['tool', 'effect', 'description', 'arguments'], rows)
  return withGeneratedPart(written, '`src/cli/mcp/mcp-tools.ts`', tools)
}
