import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { hasNatsServer, natsLog } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { SubmitResult } from '../../node/core/results.ts'
import { type ReplicatedLog, ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { decodeToReplica } from '../messages.ts'
import { chainSubjects } from './nats-stream.ts'

const { raw, hash } = signTransfer({ nonce: 0n })
const REFUSED: SubmitResult = { kind: 'refused', refusal: { code: 'ALREADY_KNOWN' }, hash }

describe.skipIf(!hasNatsServer)('transactions forwarded over NATS', () => {
  const nats = natsFixture()

  async function take(submit: (raw: Bytes) => Promise<SubmitResult>): Promise<ReplicatedLog> {
    const log = await natsLog(nats.server.url).open(CANDIDATE_CHAIN)
    nats.closing.push(() => log.close())
    log.takeSubmissions(submit)
    // The server processes messages of a connection in order: it knows the subscription once it responds to a later
    // request.
    await log.refresh()
    return log
  }

  async function response() {
    const connection = await connect({ servers: nats.server.url })
    nats.closing.push(() => connection.close())
    const message = await connection.request(chainSubjects(CANDIDATE_CHAIN).submit, raw, { timeout: 20_000 })
    return decodeToReplica(message.string())
  }

  const fenced = async (): Promise<never> => {
    throw new ReplicatedLogError('FENCED', 'another node has published record 7')
  }

  test("the current leader's response takes precedence over that of a fenced node", async () => {
    let onRequest = () => {}
    const isRequested = new Promise<void>((resolve) => {
      onRequest = resolve
    })
    const log = await take(() => {
      onRequest()
      return fenced()
    })
    await take(async () => {
      await isRequested
      // Any immediate response of the other node has reached the server by then.
      await log.refresh()
      return REFUSED
    })
    expect(await response()).toMatchObject({ type: 'submitted', reply: { kind: 'refused' } })
  })

  test('a fenced node asks the sender to retry when no other node responds', async () => {
    await take(fenced)
    expect(await response()).toMatchObject({ type: 'unsubmitted', message: 'another node has published record 7' })
  })
})
