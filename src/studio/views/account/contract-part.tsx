import { useState } from 'preact/hooks'
import type { AbiFunction } from 'viem'
import { parseAbi } from 'viem'
import { useStore, useStudio } from '../../client/studio.ts'
import type { AbiSource } from '../../model/abi/abi-book.ts'
import { functionText, isReading } from '../../model/abi/contract-call.ts'
import { Notice, Panel } from '../../widgets/layout.tsx'
import { AbiDrop } from '../abi-drop.tsx'
import { WalletPart } from '../wallet-part.tsx'
import { FunctionForm } from './function-form.tsx'

/** Functions of the contract as forms, by an ABI that the user chooses. */
export function ContractPart({ address }: { readonly address: string }) {
  const { abis, senders: signers } = useStudio()
  const { sources, ofNode } = useStore(abis.state)
  const all = [...sources, ...ofNode, ...SHIPPED_INTERFACES]
  const [chosen, setChosen] = useState<string>()
  const source = all.find(({ name }) => name === chosen) ?? all[0]!
  const functions = source.abi.filter((item): item is AbiFunction => item.type === 'function')
  const senders = useStore(signers.accounts)
  return (
    <>
      <Panel title="Interface">
        <div class="line-form">
          <label>
            <span>ABI</span>
            <select value={source.name} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {all.map(({ name }) => (
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
      <FunctionList title="Read" address={address} functions={functions.filter(isReading)} senders={senders} />
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

/** Interfaces whose functions can be called without an added ABI. */
const SHIPPED_INTERFACES: readonly AbiSource[] = [
  {
    name: 'Token (ERC-20)',
    abi: parseAbi([
      'function name() view returns (string)',
      'function symbol() view returns (string)',
      'function decimals() view returns (uint8)',
      'function totalSupply() view returns (uint256)',
      'function balanceOf(address account) view returns (uint256)',
      'function allowance(address owner, address spender) view returns (uint256)',
      'function transfer(address to, uint256 amount) returns (bool)',
      'function approve(address spender, uint256 amount) returns (bool)',
      'function transferFrom(address from, address to, uint256 amount) returns (bool)',
    ]),
  },
  {
    name: 'Unique tokens (ERC-721)',
    abi: parseAbi([
      'function name() view returns (string)',
      'function symbol() view returns (string)',
      'function ownerOf(uint256 tokenId) view returns (address)',
      'function balanceOf(address owner) view returns (uint256)',
      'function tokenURI(uint256 tokenId) view returns (string)',
      'function safeTransferFrom(address from, address to, uint256 tokenId)',
      'function approve(address to, uint256 tokenId)',
    ]),
  },
]
