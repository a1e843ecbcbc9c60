// `npm run docs` writes the generated pages of docs/. With --check it writes nothing and exits with 1 if one differs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { apiPage } from './support/api-page.mjs'

prepare()
const { PAGES } = await import('../dist/cli/docs/pages.js')
const isCheck = process.argv.includes('--check')
let differing = 0
for (const [name, make] of [...PAGES, ['api.md', () => apiPage(root)]]) {
  const path = join(root, 'docs', name)
  const made = await make()
  if (existsSync(path) && readFileSync(path, 'utf8') === made) continue
  differing += 1
  if (!isCheck) writeFileSync(path, made)
  process.stdout.write(isCheck ? `docs/${name} differs: run \`npm run docs\`\n` : `docs/${name}\n`)
}
process.exit(isCheck && differing > 0 ? 1 : 0)
