import { expect, test } from 'vitest'
import type { MetricFamilies } from '../metrics/metrics.ts'
import { ClusterMetrics } from './joint-metrics.ts'

const NAME = 'tickertape_flashblocks_total'

function families(value: number): MetricFamilies {
  return new Map([[NAME, [`${NAME} ${value}`]]])
}

test('shares one collection among concurrent scrapes, and starts a new one for a later scrape', async () => {
  let requested = 0
  const metrics = new ClusterMetrics({ own: async () => families(++requested), others: () => [] })
  const texts = await Promise.all(Array.from({ length: 100 }, () => metrics.text()))
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).toMatch(new RegExp(`^${NAME} 1$`, 'm'))
  expect(await metrics.text()).toMatch(new RegExp(`^${NAME} 2$`, 'm'))
})

test('omits a process whose metrics cannot be collected', async () => {
  const others = () => [Promise.reject(new Error('gone')), Promise.resolve(families(2))]
  const metrics = new ClusterMetrics({ own: () => Promise.resolve(families(1)), others })
  expect((await metrics.text()).match(new RegExp(`^${NAME} \\d$`, 'gm'))).toEqual([`${NAME} 1`, `${NAME} 2`])
})
