// The documentation site: `docs/` in place, with a search that runs in the browser. Pages request nothing from other hosts.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { PAGES } from './pages.mjs'

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)))
const docs = join(root, 'docs')
const modules = join(root, 'site/node_modules')
const { description, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const repositoryUrl = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** GitHub's anchors of headings, which the links of `docs/` use. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** The address of a link. Files that the site lacks are shown by the repository. @throws Error when there is no such file */
function addressOf(href, page) {
  if (/^[a-z]+:|^#/i.test(href)) return href
  const [path, anchor] = href.split('#')
  const file = resolve(dirname(page), path)
  if (!existsSync(file)) throw new Error(`${relative(root, page)} links to ${href}, which does not exist`)
  if (file.startsWith(docs) && file.endsWith('.md')) return href.replace(/README\.md(?=#|$)/, 'index.md')
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob'
  return `${repositoryUrl}/${kind}/main/${relative(root, file)}${anchor === undefined ? '' : `#${anchor}`}`
}

function rewriteLinks(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type === 'link_open') token.attrSet('href', addressOf(token.attrGet('href'), env.path))
      }
    }
  })
}

/** Pages are outside of the folder with the packages: Vite would bundle Vue to render them to HTML, which fails. */
const externalVue = {
  name: 'external-vue',
  enforce: 'pre',
  resolveId(source, _importer, { ssr }) {
    return ssr && /^vue($|\/)/.test(source) ? { id: source, external: true } : undefined
  },
}

export default defineConfig({
  title: 'Tickertape',
  description,
  srcDir: relative(join(root, 'site'), docs),
  outDir: join(root, 'site/dist'),
  cacheDir: join(modules, '.cache/vitepress'),
  rewrites: { 'README.md': 'index.md', 'adr/README.md': 'adr/index.md' },
  // Any web server serves the files.
  cleanUrls: false,
  markdown: { anchor: { slugify }, toc: { slugify }, config: rewriteLinks },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guides/stocks' },
      { text: 'JSON-RPC', link: '/rpc' },
      { text: 'Library', link: '/api' },
      { text: 'Operations', link: '/operations' },
    ],
    sidebar: PAGES,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repositoryUrl }],
  },
  vite: { plugins: [externalVue] },
})
