import { grouped } from '../../../live/amount.ts'
import type { NodeClient } from '../../../live/node-client.ts'
import { MAX_SOURCE_TEXT, type VerifiedFiles, verifiedFiles, verifiedFilesPath } from '../../model/verified-files.ts'
import { Badge, Facts, Notice, Panel } from '../../widgets/layout.tsx'
import { CopyButton } from '../../widgets/text.tsx'

/** The verified sources of a contract; `undefined` where the node has none. */
export async function readSources(
  node: Pick<NodeClient, 'read'>,
  chainId: bigint,
  address: string,
): Promise<VerifiedFiles | undefined> {
  const { status, text } = await node.read(verifiedFilesPath(chainId, address)).catch(() => ({ status: 0, text: '' }))
  return status === 200 ? verifiedFiles(text) : undefined
}

/** The source files of a contract, as they were verified on this node. */
export function SourcePart({ source }: { readonly source: VerifiedFiles | undefined }) {
  if (source === undefined) {
    return (
      <Notice>
        No source of this contract is verified on this node: verify it with forge, with Hardhat, or with tickertape
        verify-source.
      </Notice>
    )
  }
  const { contract, compiler, isExact, files } = source
  return (
    <Panel
      title="Source"
      aside={<Badge tone={isExact ? 'good' : 'busy'}>{isExact ? 'exact match' : 'match without metadata'}</Badge>}
    >
      <Facts
        facts={[
          { label: 'Contract', value: contract },
          { label: 'Compiler', value: compiler },
          { label: 'Files', value: grouped(files.length) },
        ]}
      />
      {files.map(({ path, text }, index) => (
        <details key={path} class="function" open={index === 0}>
          <summary class="method">{path}</summary>
          <div class="hex-block">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
            <pre class="source" tabIndex={0}>
              {text.slice(0, MAX_SOURCE_TEXT)}
              {text.length > MAX_SOURCE_TEXT && '…'}
            </pre>
            <div class="buttons">
              <CopyButton text={text} label={path} />
            </div>
          </div>
        </details>
      ))}
    </Panel>
  )
}
