import { useStore, useStudio } from '../../client/studio.ts'
import { decodeLog } from '../../model/abi/decoding.ts'
import type { LogObject, ReceiptObject } from '../../model/chain-objects.ts'
import { DecodedView } from '../../widgets/decoded-view.tsx'
import { HexBlock } from '../../widgets/hex-block.tsx'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { AddressText } from '../../widgets/text.tsx'
import { AbiDrop } from '../abi-drop.tsx'

/** Logs that are drawn; a transaction may have thousands. */
const MAX_DRAWN = 200

export function LogsPart({ receipt }: { readonly receipt: ReceiptObject | undefined }) {
  const { abis } = useStudio()
  const { book } = useStore(abis.state)
  const logs = receipt?.logs ?? []
  if (logs.length === 0) {
    return (
      <Panel title="Logs">
        <Notice>{receipt === undefined ? 'It is not executed yet.' : 'This transaction emitted no logs.'}</Notice>
      </Panel>
    )
  }
  const decoded = logs.slice(0, MAX_DRAWN).map((log) => ({ log, decoded: decodeLog(book, log.topics, log.data) }))
  return (
    <>
      {decoded.map(({ log, decoded: event }, position) => (
        <Panel
          key={position}
          title={event === undefined ? 'Unknown event' : <span class="method">{event.signature}</span>}
          aside={<LogOrigin log={log} position={position} />}
        >
          {event === undefined ? <RawLog log={log} /> : <DecodedView decoded={event} token={log.address} />}
        </Panel>
      ))}
      {logs.length > MAX_DRAWN && <Notice>and {logs.length - MAX_DRAWN} more, under All fields</Notice>}
      {decoded.some(({ decoded: event }) => event === undefined) && <AbiDrop />}
    </>
  )
}

function LogOrigin({ log, position }: { readonly log: LogObject; readonly position: number }) {
  return (
    <>
      <span class="muted">log {log.index ?? position} of </span>
      <AddressText address={log.address} />
    </>
  )
}

function RawLog({ log: { topics, data } }: { readonly log: LogObject }) {
  return (
    <>
      <ol class="topics" start={0} aria-label="Topics">
        {topics.map((topic, index) => (
          <li key={index} class="hex wrap">
            {topic}
          </li>
        ))}
      </ol>
      {data !== '0x' && <HexBlock hex={data} label="log data" />}
    </>
  )
}
