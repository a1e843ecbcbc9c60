import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MapSnapshot, SnapshotMap } from './snapshot-map.ts'

const key = fc.integer({ min: 0, max: 600 }).map((number) => `0x${number.toString(16).padStart(4, '0')}`)
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value: fc.nat() }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('snapshot' as const) }),
)

test('property: behaves like a map, and later writes do not change snapshots', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const map = new SnapshotMap<string, number>()
      const model = new Map<string, number>()
      const snapshots: [MapSnapshot<string, number>, Map<string, number>][] = []
      for (const action of steps) {
        if (action.kind === 'set') {
          map.set(action.key, action.value)
          model.set(action.key, action.value)
        } else if (action.kind === 'delete') {
          expect(map.delete(action.key)).toBe(model.delete(action.key))
        } else snapshots.push([map.snapshot(), new Map(model)])
      }
      snapshots.push([map.snapshot(), model])
      for (const [snapshot, expected] of snapshots) {
        expect(snapshot.size).toBe(expected.size)
        expect([...snapshot.keys()].sort()).toEqual([...expected.keys()].sort())
        for (const [entry, value] of expected) expect(snapshot.get(entry)).toBe(value)
      }
      expect([...map.values()].sort()).toEqual([...model.values()].sort())
    }),
  )
})
