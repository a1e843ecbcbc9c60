// `npm run docs:site` builds the documentation site from `docs/` into `site/dist`; `-- --serve` also serves it on
// loopback. VitePress is installed in `site/` at first.
import { join } from 'node:path'
import { root } from './prepare.mjs'
import { installTools, run } from './support/package-tools.mjs'

const site = join(root, 'site')
const vitepress = join(installTools('site'), 'vitepress/bin/vitepress.js')
run(process.execPath, [vitepress, 'build', '.'], site)
if (process.argv.includes('--serve')) run(process.execPath, [vitepress, 'preview', '.', '--host', '127.0.0.1'], site)
