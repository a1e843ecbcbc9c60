import { byteLength, grouped } from '../../../live/amount.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { decodeInput } from '../../model/abi/decoding.ts'
import type { TransactionObject } from '../../model/chain-objects.ts'
import { DecodedView } from '../../widgets/decoded-view.tsx'
import { HexBlock } from '../../widgets/hex-block.tsx'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { AbiDrop } from '../abi-drop.tsx'

export function InputPart({ transaction: { input, to } }: { readonly transaction: TransactionObject }) {
  const { abis } = useStudio()
  const { book } = useStore(abis.state)
  const decoded = to === undefined ? undefined : decodeInput(book, input)
  if (input === '0x') {
    return (
      <Panel title="Input">
        <Notice>This transaction has no input: it only transfers ether.</Notice>
      </Panel>
    )
  }
  return (
    <>
      <Panel title={decoded === undefined ? 'Input' : <span class="method">{decoded.signature}</span>}>
        {decoded !== undefined && <DecodedView decoded={decoded} token={to} />}
        {decoded === undefined && to !== undefined && (
          <p class="muted">No known function has the selector {input.slice(0, 10)}. Add the ABI of the contract:</p>
        )}
        {decoded === undefined && to === undefined && <p class="muted">The code that creates the contract.</p>}
        {to !== undefined && <AbiDrop />}
      </Panel>
      <Panel title="Bytes" aside={<span class="muted">{grouped(byteLength(input))} bytes</span>}>
        <HexBlock hex={input} label="input" />
      </Panel>
    </>
  )
}
