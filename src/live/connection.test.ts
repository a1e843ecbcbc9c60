import { describe, expect, test } from 'vitest'
import { type Connection, initialConnection, nextConnection, staleForMs } from './connection.ts'

const opened = { kind: 'socket', state: { kind: 'open' }, at: 10 } as const
const closed = { kind: 'socket', state: { kind: 'closed', retryAt: 99 }, at: 20 } as const

describe('nextConnection', () => {
  test('is live while the WebSocket is open, and offline after it closed', () => {
    const live = nextConnection(initialConnection(0), opened)
    expect(live).toEqual({ kind: 'live', since: 10, heardAt: 10 })
    expect(nextConnection(live, closed)).toEqual({ kind: 'offline', since: 20, heardAt: 10 })
  })

  test('polls a node that answers requests but has no WebSocket', () => {
    const offline = nextConnection(initialConnection(0), closed)
    const polling = nextConnection(offline, { kind: 'response', at: 30 })
    expect(polling).toEqual({ kind: 'polling', since: 30, heardAt: 30 })
    // Further attempts to open a WebSocket do not make it offline.
    expect(nextConnection(polling, { ...closed, at: 40 }).kind).toBe('polling')
    expect(nextConnection(polling, { kind: 'failure', at: 50 })).toEqual({ kind: 'offline', since: 50, heardAt: 30 })
  })

  test('stays live when one request fails', () => {
    const live = nextConnection(initialConnection(0), opened)
    expect(nextConnection(live, { kind: 'failure', at: 30 }).kind).toBe('live')
  })
})

describe('staleForMs', () => {
  const offline: Connection = { kind: 'offline', since: 1_000, heardAt: 500 }

  test('is the time since the node last sent anything', () => {
    expect(staleForMs(offline, 9_500)).toBe(9_000)
    expect(staleForMs({ ...offline, heardAt: undefined }, 9_500)).toBe(8_500)
  })

  test('is undefined while connected, and for a short interruption', () => {
    expect(staleForMs({ ...offline, kind: 'live' }, 90_000)).toBeUndefined()
    expect(staleForMs(offline, 2_000)).toBeUndefined()
  })
})
