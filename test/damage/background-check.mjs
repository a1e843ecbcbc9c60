// Loaded before a node: pages are checked in the background only, as in a database of many gigabytes.
import { PageGuard } from '../../dist/storage/pages/page-guard.js'

const { open } = PageGuard
PageGuard.open = (options) => open({ ...options, startCheckMs: 0 })
