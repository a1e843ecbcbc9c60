import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { QueuedClient } from '../protocol/rpc-client.ts'
import { FairQueue } from './fair-queue.ts'

function client(address = '', isReading = () => true): QueuedClient {
  return { address, connection: {}, isReading }
}

/** Takes everything; each item costs one. */
function drain(queue: FairQueue<string>): string {
  let order = ''
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    order += next.item
    queue.learn(next.client, 1)
  }
  return order
}

function addAll(queue: FairQueue<string>, who: QueuedClient, items: string): void {
  for (const item of items) queue.add(who, item)
}

describe('FairQueue', () => {
  test('takes the items of connections in turn, and those of one connection in order', () => {
    const queue = new FairQueue<string>({ unknownCost: 1 })
    addAll(queue, client(), 'abcd')
    addAll(queue, client(), 'AB')
    addAll(queue, client(), '1')

    expect(queue.size).toBe(7)
    expect(drain(queue)).toBe('aA1bBcd')
    expect(queue.size).toBe(0)
  })

  test('shares equally between addresses, whatever their number of connections', () => {
    const queue = new FairQueue<string>({ unknownCost: 1 })
    for (let count = 0; count < 4; count++) addAll(queue, client('10.0.0.1'), 'aa')
    addAll(queue, client('10.0.0.2'), 'BBBB')

    expect(drain(queue)).toBe('aBaBaBaBaaaa')
  })

  test('gives short items as much time as long ones', () => {
    const queue = new FairQueue<string>({ unknownCost: 1 })
    const [long, short] = [client(), client()]
    addAll(queue, long, 'LLL')
    addAll(queue, short, 'ssssssss')
    let order = ''
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      order += next.item
      queue.learn(next.client, next.item === 'L' ? 4 : 1)
    }

    expect(order).toBe('LssssLssssL')
  })

  test('a client that comes later is not given the time that it left unused', () => {
    const queue = new FairQueue<string>({ unknownCost: 1 })
    const [early, late] = [client(), client()]
    addAll(queue, early, 'a'.repeat(100))
    for (let count = 0; count < 90; count++) queue.learn(queue.take()!.client, 1)
    addAll(queue, late, 'BBBBB')

    expect(drain(queue).slice(0, 8)).toMatch(/^(aB|Ba|BB|aa)*a?B?$/)
    addAll(queue, early, 'aa')
    expect(drain(queue)).toBe('aa')
  })

  test('serves clients that do not read their responses after all others', () => {
    let isReading = false
    const queue = new FairQueue<string>({ unknownCost: 1 })
    addAll(
      queue,
      client('', () => isReading),
      'xxx',
    )
    addAll(queue, client(), 'aaa')
    addAll(queue, client('10.0.0.1'), 'b')

    expect([1, 2, 3, 4].map(() => queue.take()!.item).sort()).toEqual(['a', 'a', 'a', 'b'])
    expect(queue.take()!.item).toBe('x')
    addAll(queue, client(), 'c')
    isReading = true
    expect(drain(queue)).toBe('xxc')
  })

  test('takes the item of a client with short items before those of new clients that came earlier', () => {
    const queue = new FairQueue<string>({ unknownCost: 8 })
    const quiet = client()
    queue.learn(quiet, 0.1)
    for (let count = 0; count < 10; count++) addAll(queue, client(), 'x')
    queue.learn(queue.take()!.client, 100)
    queue.add(quiet, 'Q')

    expect(queue.take()!.item).toBe('Q')
  })

  test('delays a client by a part only of the cost of an item that seemed expensive once', () => {
    const queue = new FairQueue<string>({ unknownCost: 8 })
    const busy = Array.from({ length: 100 }, () => client())
    for (const one of busy) {
      queue.learn(one, 1)
      addAll(queue, one, 'x'.repeat(100))
    }
    const quiet = client()
    queue.learn(quiet, 0.1)
    queue.learn(quiet, 60)
    queue.add(quiet, 'Q')

    let before = 0
    while (queue.take()!.item !== 'Q') before++
    expect(before).toBeLessThan((busy.length * 60) / 4)
  })

  test('displaces the newest item of the connection with most, unless the client has as many itself', () => {
    const queue = new FairQueue<string>({ unknownCost: 1 })
    const [busy, quiet] = [client(), client()]
    addAll(queue, busy, 'abc')

    expect(queue.displace(busy)).toBeUndefined()
    expect(queue.displace(quiet)).toBe('c')
    addAll(queue, quiet, 'Q')
    expect(queue.displace(quiet)).toBeUndefined()
    expect(queue.size).toBe(3)
    expect(drain(queue)).toBe('aQb')
  })

  test('property: takes every item once, those of a connection in order', () => {
    const clients = [client('a'), client('a'), client('b'), client('c')]
    const step = fc.oneof(fc.record({ who: fc.nat(3) }), fc.record({ cost: fc.nat(5) }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new FairQueue<number>({ unknownCost: 1 })
        const added: number[][] = clients.map(() => [])
        const taken: number[][] = clients.map(() => [])
        const take = (cost: number) => {
          const next = queue.take()
          if (next === undefined) return false
          taken[clients.indexOf(next.client)]!.push(next.item)
          queue.learn(next.client, cost)
          return true
        }
        for (const [index, one] of steps.entries()) {
          if ('who' in one) {
            added[one.who]!.push(index)
            queue.add(clients[one.who]!, index)
          } else take(one.cost)
        }
        while (take(1));
        expect(taken).toEqual(added)
        expect(queue.size).toBe(0)
      }),
    )
  })

  // The adversaries fill their queues again after each item, or come back as new connections.
  test('property: the n-th item of a new client waits for at most twice its share of the others', () => {
    const adversary = fc.record({
      depth: fc.integer({ min: 1, max: 20 }),
      cost: fc.double({ min: 0.1, max: 1, noNaN: true }),
      isNewEachTime: fc.boolean(),
      address: fc.constantFrom('', 'other', 'third'),
    })
    const mix = fc.array(adversary, { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(mix, fc.nat(300), fc.integer({ min: 1, max: 8 }), (adversaries, before, items) => {
        const queue = new FairQueue<number>({ unknownCost: 1 })
        const current = adversaries.map(({ address }) => client(address))
        const fill = (index: number) => queue.add(current[index]!, index)
        adversaries.forEach(({ depth }, index) => {
          for (let count = 0; count < depth; count++) fill(index)
        })
        const serve = () => {
          const { client: served, item } = queue.take()!
          const other = adversaries[item]
          queue.learn(served, other?.cost ?? 1)
          if (other === undefined) return true
          if (other.isNewEachTime) current[item] = client(other.address)
          fill(item)
          return false
        }
        for (let count = 0; count < before; count++) serve()
        const quiet = client()
        for (let count = 0; count < items; count++) queue.add(quiet, -1)

        // Its items cost 1, those of the others at least 0.1.
        const connections = adversaries.reduce((sum, one) => sum + (one.isNewEachTime ? one.depth : 1), 0)
        const limit = 2 * connections * (items + 4) * 10
        let own = 0
        let steps = 0
        while (own < items && steps <= limit) {
          if (serve()) own++
          steps++
        }
        expect(own).toBe(items)
      }),
    )
  })
})
