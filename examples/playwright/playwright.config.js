import { defineConfig } from '@playwright/test'

export default defineConfig({ testDir: 'test', workers: 2, fullyParallel: true, reporter: 'line' })
