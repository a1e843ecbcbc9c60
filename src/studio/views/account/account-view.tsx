import { bigintOf, etherText, grouped } from '../../../live/amount.ts'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { tickOf } from '../../../live/live-feed.ts'
import { useStore, useStudio } from '../../client/studio.ts'
import {
  type AccountKind,
  accountKind,
  accountKindText,
  implementationOf,
  PROXY_SLOT,
} from '../../model/account-code.ts'
import { type AccountTab, hrefOf } from '../../router/route.ts'
import { HexBlock } from '../../widgets/hex-block.tsx'
import { Facts, LoadedContent, Notice, Panel, type Tab, TabLinks } from '../../widgets/layout.tsx'
import { AddressText, CopyButton } from '../../widgets/text.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { ContractPart } from './contract-part.tsx'
import { readSources, SourcePart } from './source-part.tsx'
import { StoragePart } from './storage-part.tsx'
import { TokensPart } from './tokens-part.tsx'
import { TransactionsPart } from './transactions-part.tsx'

interface AccountFacts {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: string
  /** Contract whose code a proxy runs. */
  readonly implementation: string | undefined
}

/** An account or a contract as of the open block. */
export function AccountPanel(props: {
  readonly address: string
  readonly tab: AccountTab
  /** Height below which its transactions are listed. */
  readonly before: number | undefined
}) {
  const { address, tab, before } = props
  const { client, live, names } = useStudio()
  const name = useStore(names).of(address)?.name
  const tick = tickOf(useStore(live.state))
  const loaded = useRequest(address, () => readAccount(client, address), tick)
  return (
    <div class="view">
      <h1>{name ?? (loaded.kind === 'ready' && loaded.value.code !== '0x' ? 'Contract' : 'Account')}</h1>
      <p class="subject">
        <span class="hex whole">{address}</span>
        <CopyButton text={address} label="address" />
      </p>
      <LoadedContent loaded={loaded}>
        {(account) => <Account address={address} account={account} tab={tab} before={before} />}
      </LoadedContent>
    </div>
  )
}

async function readAccount(node: NodeRequests, address: string): Promise<AccountFacts> {
  const at = [address, 'pending']
  const [balance, nonce, code, slot] = await Promise.all([
    node.request('eth_getBalance', at),
    node.request('eth_getTransactionCount', at),
    node.request('eth_getCode', at),
    node.request('eth_getStorageAt', [address, PROXY_SLOT, 'pending']).catch(() => undefined),
  ])
  return {
    balance: bigintOf(balance) ?? 0n,
    nonce: bigintOf(nonce) ?? 0n,
    code: typeof code === 'string' ? code : '0x',
    implementation: typeof code === 'string' && code !== '0x' ? implementationOf(code, slot) : undefined,
  }
}

interface AccountProps {
  readonly address: string
  readonly account: AccountFacts
  readonly tab: AccountTab
  readonly before: number | undefined
}

function Account({ address, account, tab, before }: AccountProps) {
  const { balance, nonce, code, implementation } = account
  const kind = accountKind(code)
  const isPlain = kind.kind === 'plain'
  const hasNoSuchTab = tab === 'overview' || (isPlain && CODE_TABS.includes(tab))
  const shown = hasNoSuchTab ? (isPlain ? 'transactions' : 'contract') : tab
  return (
    <>
      <Panel>
        <Facts
          facts={[
            { label: 'Kind', value: accountKindText(kind) },
            kind.kind === 'delegated'
              ? { label: 'Runs the code of', value: <AddressText address={kind.to} isWhole /> }
              : undefined,
            implementation === undefined
              ? undefined
              : { label: 'Runs the code of', value: <AddressText address={implementation} isWhole /> },
            { label: 'Balance', value: etherText(balance) },
            { label: 'Nonce', hint: 'number of its transactions, pre-confirmed ones included', value: grouped(nonce) },
          ]}
        />
      </Panel>
      <TabLinks tabs={tabsOf(address, kind)} current={shown} />
      {shown === 'tokens' && <TokensPart address={address} />}
      {shown === 'transactions' && (
        <TransactionsPart address={address} before={before} version={`${balance} ${nonce}`} />
      )}
      {!isPlain && <CodeParts address={address} account={account} tab={shown} />}
      {isPlain && hasNoSuchTab && <Notice>It has no code, so there are no functions and no storage to read.</Notice>}
    </>
  )
}

function CodeParts(props: { readonly address: string; readonly account: AccountFacts; readonly tab: AccountTab }) {
  const { address, account, tab } = props
  const { code, implementation } = account
  const { client, capabilities } = useStudio()
  const chainId = useStore(capabilities)?.chainId
  // A proxy has the sources of the contract whose code it runs.
  const verified = implementation ?? address
  const key = tab === 'source' && chainId !== undefined ? `${chainId} ${verified}` : undefined
  const sources = useRequest(key, () => readSources(client, chainId!, verified))
  switch (tab) {
    case 'contract':
      return <ContractPart address={address} implementation={implementation} />
    case 'storage':
      return <StoragePart address={address} />
    case 'source':
      return <LoadedContent loaded={sources}>{(source) => <SourcePart source={source} />}</LoadedContent>
    case 'code':
      return (
        <Panel title="Code">
          <HexBlock hex={code} label="code" />
        </Panel>
      )
    default:
      return null
  }
}

/** Tabs of accounts with code only. */
const CODE_TABS: readonly AccountTab[] = ['contract', 'storage', 'source', 'code']

function tabsOf(address: string, { kind }: AccountKind): readonly Tab[] {
  const tab = (id: AccountTab, label: string) => ({ id, label, href: hrefOf({ view: 'account', address, tab: id }) })
  const common = [tab('transactions', 'Transactions'), tab('tokens', 'Tokens')]
  if (kind === 'plain') return common
  return [
    tab('contract', 'Functions'),
    ...common,
    tab('storage', 'Storage'),
    tab('source', 'Source'),
    tab('code', 'Code'),
  ]
}
