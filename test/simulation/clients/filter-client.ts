import { topicOf } from '../../support/log-emitter.ts'
import { type BlockHead, FollowedBlocks, FollowedLogs, type WireLog } from '../oracles/followed-filters.ts'
import type { Call, ClientConnection } from './client-connection.ts'
import { ConnectedClient } from './connected-client.ts'

interface FollowedFilter {
  readonly id: string
  /** Whether it includes the open block. */
  readonly isPending: boolean
  /** Read in the same view as the changes. */
  readonly beside: Call
  /** Takes the changes since the last poll. */
  readonly take: (changes: unknown) => void
  /** Compares all changes with what was read beside the last ones. */
  readonly compare: (beside: unknown) => void
}

/** Watches the chain with filters, and forgets them when it cannot know which changes it missed. */
export class FilterClient extends ConnectedClient {
  #filters: readonly FollowedFilter[] = []

  protected async opened(connection: ClientConnection): Promise<void> {
    this.#filters = []
    await this.connectAgain(connection)
    await this.#createLogFilter(connection, 'latest')
    await this.#createLogFilter(connection, 'pending')
    await this.#createBlockFilter(connection)
  }

  protected async act(connection: ClientConnection): Promise<void> {
    const { random } = this.deps
    if (this.#filters.length === 0) return connection.close()
    if (random.isHit(0.02)) return connection.close()
    const filter = random.pick(this.#filters)
    if (filter.isPending && this.deps.ledger.minesOnDemand) return this.#forget(filter)
    await this.#poll(connection, filter)
  }

  async #createLogFilter(connection: ClientConnection, toBlock: string): Promise<void> {
    const criteria = { fromBlock: 'earliest', toBlock, topics: [[topicOf(1), topicOf(2)]] }
    const beside: Call = ['eth_getLogs', criteria]
    const [present, id] = await connection.batch([beside, ['eth_newFilter', criteria]])
    if (present?.kind !== 'result' || id?.kind !== 'result') return
    const name = `${this.name}: the filter of logs to ${toBlock}`
    const logs = new FollowedLogs(name, present.value as WireLog[], this.deps.ledger)
    const take: FollowedFilter['take'] = (changes) => logs.take(changes as WireLog[])
    const compare: FollowedFilter['compare'] = (now) => logs.compare(now as WireLog[])
    const isPending = toBlock === 'pending'
    this.#filters = [...this.#filters, { id: id.value as string, isPending, beside, take, compare }]
  }

  async #createBlockFilter(connection: ClientConnection): Promise<void> {
    const [latest, id] = await connection.batch([['eth_blockNumber'], ['eth_newBlockFilter']])
    if (latest?.kind !== 'result' || id?.kind !== 'result') return
    const blocks = new FollowedBlocks(`${this.name}: the filter of blocks`, Number(latest.value), this.deps.ledger)
    const beside: Call = ['eth_getBlockByNumber', 'latest', false]
    const take: FollowedFilter['take'] = (changes) => blocks.take(changes as string[])
    const compare: FollowedFilter['compare'] = (now) => blocks.compare(now as BlockHead)
    this.#filters = [...this.#filters, { id: id.value as string, isPending: false, beside, take, compare }]
  }

  async #poll(connection: ClientConnection, filter: FollowedFilter): Promise<void> {
    const poll: Call = ['eth_getFilterChanges', filter.id]
    const isFromOther = this.second !== undefined && this.deps.random.isHit(0.5)
    // Only the process that has the filter answers both from one view.
    const [changes, beside] = isFromOther
      ? [await this.second.request(...poll)]
      : (await connection.batch([filter.beside, poll])).toReversed()
    // The mode may have changed since the request.
    if (filter.isPending && this.deps.ledger.minesOnDemand) this.#forget(filter)
    else if (changes?.kind === 'result' && (isFromOther || beside?.kind === 'result')) {
      filter.take(changes.value)
      if (beside?.kind === 'result') filter.compare(beside.value)
    } else {
      this.note(() => `loses a filter: ${changes?.kind === 'error' ? changes.message : 'no response'}`)
      this.#forget(filter)
    }
  }

  #forget(filter: FollowedFilter): void {
    this.#filters = this.#filters.filter((one) => one !== filter)
  }
}
