import { describe, expect, test } from 'vitest'
import { type LagSample, lagSample, lagSeries, withSample } from './lag-history.ts'

describe('the lag of a node', () => {
  test('is that of its own source, of its slowest replica, and of its store', () => {
    const ready = JSON.stringify({ ready: true, replica: { lagRecords: 3 }, writerLagBlocks: 2 })
    expect(lagSample(1_000, ready, [{ lagRecords: 1 }, { lagRecords: 7 }])).toEqual({
      at: 1_000,
      own: 3,
      replicas: 7,
      unstored: 2,
    })
    expect(lagSample(1_000, JSON.stringify({ worker: { lagRecords: 4 } }), []).own).toBe(4)
  })

  test('is unknown where the node says nothing', () => {
    expect(lagSample(1, 'not JSON', [])).toEqual({ at: 1, own: undefined, replicas: undefined, unstored: undefined })
  })

  test('is kept for ten minutes, one sample for each time', () => {
    let samples: readonly LagSample[] = []
    for (let at = 0; at < 400; at += 1) {
      const sample = lagSample(at, '{}', [{ lagRecords: at }])
      samples = withSample(withSample(samples, sample), sample)
    }
    expect(samples).toHaveLength(300)
    expect(lagSeries(samples.slice(-2), ['replicas', 'own'])).toEqual([
      [0.398, 0.399],
      [398, 399],
      [null, null],
    ])
  })
})
