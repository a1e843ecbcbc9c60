import { quoted } from '../../primitives/text/shell.ts'

/** A request as people run it elsewhere. */
export interface SnippetRequest {
  readonly url: string
  readonly method: string
  readonly params: readonly unknown[]
}

export const SNIPPET_FORMS = ['curl', 'viem', 'ethers'] as const
export type SnippetForm = (typeof SNIPPET_FORMS)[number]

/** A request as a command or as code that runs as it is. */
export function snippetOf(form: SnippetForm, { url, method, params }: SnippetRequest): string {
  const list = JSON.stringify(params)
  switch (form) {
    case 'curl': {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return `curl -s ${quoted(url)} -H 'content-type: application/json' -d ${quoted(body)}`
    }
    case 'viem':
      return [
        "import { createClient, http } from 'viem'",
        '',
        `const client = createClient({ transport: http(${JSON.stringify(url)}) })`,
        `console.log(await client.request({ method: ${JSON.stringify(method)}, params: ${list} }))`,
      ].join('\n')
    case 'ethers':
      return [
        "import { JsonRpcProvider } from 'ethers'",
        '',
        `const provider = new JsonRpcProvider(${JSON.stringify(url)})`,
        `console.log(await provider.send(${JSON.stringify(method)}, ${list}))`,
      ].join('\n')
  }
}
