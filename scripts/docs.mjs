// `npm run docs` writes the generated pages of docs/. With --check it writes nothing and exits with 1 if one differs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, prepareTestBuild, root } from './prepare.mjs'
import { apiPage } from './support/api-page.mjs'

prepare()
prepareTestBuild()
const { PAGES } = await import('../dist-test/scripts/docs/pages.js')
const isCheck = process.argv.includes('--check')
let differing = 0
for (const [name, make] of [...PAGES, ['api.md', () => apiPage(root)]]) {
  const path = join(root, 'docs', name)
  const written = readFileSync(path, 'utf8')
  const made = await make(written)
  if (written === made) continue
  differing += 1
  if (!isCheck) writeFileSync(path, made)
  process.stdout.write(isCheck ? `docs/${name} differs: run \`npm run docs\`\n` : `docs/${name}\n`)
}
process.exit(isCheck && differing > 0 ? 1 : 0)
