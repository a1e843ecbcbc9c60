import { test as base } from '@playwright/test'
import { workerFixtures } from '@tickertape/node/playwright'

export const test = base.extend(workerFixtures({ mining: 'auto' }))
