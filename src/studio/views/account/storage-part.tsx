import { useState } from 'preact/hooks'
import { tickOf } from '../../../live/live-feed.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import { slotFrom, storageWord, wordReadings } from '../../model/account-code.ts'
import { LoadedContent, Panel, Problem } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'

/** Slots that are followed at once. */
const MAX_SLOTS = 40
/** Solidity begins with slot 0. */
const FIRST_SLOTS = Array.from({ length: 8 }, (_, index) => slotFrom(String(index))!)

/** Storage slots by number, followed as they change. */
export function StoragePart({ address }: { readonly address: string }) {
  const { client, live } = useStudio()
  const tick = tickOf(useStore(live.state))
  const [slots, setSlots] = useState<readonly string[]>(FIRST_SLOTS)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const read = async () =>
    Promise.all(slots.map((slot) => client.request('eth_getStorageAt', [address, slot, 'pending'])))
  const loaded = useRequest(`${address} ${slots.join()}`, read, tick)
  const add = (event: Event) => {
    event.preventDefault()
    const slot = slotFrom(text)
    if (slot === undefined) return setProblem('Write a slot as a number, in decimal or hex.')
    setProblem(undefined)
    setText('')
    setSlots([slot, ...slots.filter((one) => one !== slot)].slice(0, MAX_SLOTS))
  }
  return (
    <Panel title="Storage" aside={<span class="muted">as of the open block</span>}>
      <form class="line-form" onSubmit={add}>
        <label>
          <span>Slot</span>
          <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} placeholder="0 or 0x…" />
        </label>
        <button type="submit">Read</button>
        <Problem text={problem} />
      </form>
      <LoadedContent loaded={loaded}>
        {(words) => (
          <table class="changes">
            <thead>
              <tr>
                <th>Slot</th>
                <th>Value</th>
                <th>Read as</th>
              </tr>
            </thead>
            <tbody>
              {slots.map((slot, index) => (
                <SlotRow key={slot} slot={slot} word={storageWord(words[index])} />
              ))}
            </tbody>
          </table>
        )}
      </LoadedContent>
    </Panel>
  )
}

function SlotRow({ slot, word }: { readonly slot: string; readonly word: string | undefined }) {
  return (
    <tr>
      <td class="hex wrap">{shortWord(slot)}</td>
      <td class="hex wrap">{word === undefined ? '–' : shortWord(word)}</td>
      <td>
        {(word === undefined ? [] : wordReadings(word)).map(([label, reading]) => (
          <div key={label}>
            {reading} <span class="muted">{label}</span>
          </div>
        ))}
      </td>
    </tr>
  )
}

/** Without leading zeros. */
function shortWord(word: string): string {
  return `0x${word.slice(2).replace(/^0+(?=.)/, '')}`
}
