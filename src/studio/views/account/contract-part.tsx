import { useMemo, useState } from 'preact/hooks'
import type { AbiFunction } from 'viem'
import { useStore, useStudio } from '../../client/studio.ts'
import type { AbiSource } from '../../model/abi/abi-book.ts'
import { functionText, isReading } from '../../model/abi/contract-call.ts'
import { SHIPPED_NAMES, shippedAbi } from '../../model/abi/shipped-interfaces.ts'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { AbiDrop } from '../abi-drop.tsx'
import { WalletPart } from '../wallet-part.tsx'
import { FunctionForm } from './function-form.tsx'
import { ValuesPart } from './values-part.tsx'

/**
 * Functions of the contract as forms, by the ABI that belongs to it or one that the user chooses.
 *
 * @param implementation contract whose code a proxy runs
 */
export function ContractPart(props: { readonly address: string; readonly implementation: string | undefined }) {
  const { address, implementation } = props
  const { abis, senders: signers, names } = useStudio()
  const { sources, ofNode } = useStore(abis.state)
  const known = useStore(names)
  const own = known.of(address)?.abi ?? (implementation && known.of(implementation)?.abi)
  const given = useMemo(() => [...sources, ...ofNode], [sources, ofNode])
  const offered = [...given.map(({ name }) => name), ...SHIPPED_NAMES]
  const [chosen, setChosen] = useState<string>()
  const shown = offered.find((name) => name === chosen) ?? own ?? offered[0]!
  const source = useMemo(() => sourceNamed(shown, given), [shown, given])
  const functions = source.abi.filter((item): item is AbiFunction => item.type === 'function')
  const senders = useStore(signers.accounts)
  return (
    <>
      <Panel title="Interface">
        <div class="line-form">
          <label>
            <span>ABI</span>
            <select value={source.name} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {offered.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <AbiDrop />
      </Panel>
      <WalletPart />
      <ValuesPart address={address} source={source} />
      <FunctionList
        title="Read"
        address={address}
        functions={functions.filter((item) => isReading(item) && item.inputs.length > 0)}
        senders={senders}
      />
      <FunctionList
        title="Write"
        address={address}
        functions={functions.filter((item) => !isReading(item))}
        senders={senders}
      />
      {senders.length === 0 && (
        <Notice>This node manages no accounts, so it cannot sign: connect a wallet to send transactions.</Notice>
      )}
    </>
  )
}

function sourceNamed(name: string, given: readonly AbiSource[]): AbiSource {
  return given.find((source) => source.name === name) ?? { name, abi: shippedAbi(name) }
}

function FunctionList(props: {
  readonly title: string
  readonly address: string
  readonly functions: readonly AbiFunction[]
  readonly senders: readonly string[]
}) {
  const { title, address, functions, senders } = props
  if (functions.length === 0) return null
  return (
    <Panel title={title}>
      {functions.map((item) => (
        <details key={functionText(item)} class="function">
          <summary class="method">{functionText(item)}</summary>
          <FunctionForm address={address} item={item} senders={senders} />
        </details>
      ))}
    </Panel>
  )
}
