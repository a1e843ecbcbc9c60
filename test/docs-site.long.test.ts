import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER_ADVICE, hasBrowser, launchBrowser } from './studio/browser.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'site/dist')
const BUILD_LIMIT_MS = 600_000
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

/** A page as it was built. */
interface Page {
  readonly path: string
  readonly html: string
  readonly anchors: ReadonlySet<string>
}

let output: string
let pages: readonly Page[]
let server: Server
let url: string

beforeAll(async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/docs-site.mjs')], {
    encoding: 'utf8',
  })
  output = stdout + stderr
  expect(status, output).toBe(0)
  pages = filesOf(dist, '.html').map(pageOf)
  server = createServer(({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname)
    const file = join(dist, path.endsWith('/') ? `${path}index.html` : path)
    if (!existsSync(file)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[file.split('.').at(-1)!] ?? 'application/octet-stream' })
    return response.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, BUILD_LIMIT_MS)
afterAll(() => server?.close())

describe('the documentation site', () => {
  test('has every page of docs/, and lists it in the side bar', () => {
    const wanted = filesOf(join(root, 'docs'), '.md').map((file) =>
      relative(join(root, 'docs'), file)
        .replace(/README\.md$/, 'index.md')
        .replace(/\.md$/, '.html'),
    )
    const sideBar = pages.find(({ path }) => path === 'index.html')!.html

    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(wanted))
    const unlisted = wanted
      .filter((path) => !/^adr\/\d/.test(path))
      .filter((path) => !sideBar.includes(`href="/${path.replace(/index\.html$/, '')}"`))
    expect(unlisted).toEqual([])
  })

  test('has no link to a page or a heading that does not exist', () => {
    const byPath = new Map(pages.map((page) => [page.path, page]))
    const dead = pages.flatMap(({ path, html }) =>
      linksOf(html)
        .filter((link) => !/^[a-z]+:/i.test(link))
        .filter((link) => {
          const { pathname, hash } = new URL(link, `http://localhost/${path}`)
          const file = `${pathname.slice(1)}${pathname.endsWith('/') ? 'index.html' : ''}`
          const page = byPath.get(file)
          if (page === undefined) return !existsSync(join(dist, file))
          return hash !== '' && !page.anchors.has(decodeURIComponent(hash.slice(1)))
        })
        .map((link) => `${path}: ${link}`),
    )

    expect(dead).toEqual([])
  })

  for (const [name, viewport] of Object.entries({
    desktop: { width: 1280, height: 900 },
    phone: { width: 390, height: 844 },
  })) {
    test(`is found, searched and read on a ${name} without a request to another host`, async (context) => {
      if (!hasBrowser) return context.skip(BROWSER_ADVICE)
      const browser = await launchBrowser()
      const page = await browser.newPage({ viewport })
      const foreign: string[] = []
      const errors: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url())) foreign.push(request.url())
      })
      page.on('pageerror', (error) => errors.push(String(error)))

      await page.goto(`${url}/`)
      await page.locator('#local-search button').click()
      await page.locator('#localsearch-input').fill('eth_getBlockByNumber')
      await page.locator('.result').first().click()
      await page.locator('main', { hasText: 'eth_getBlockByNumber' }).waitFor()
      await page.goto(`${url}/api.html`)
      const [width, reference] = await Promise.all([
        page.evaluate<number>('document.documentElement.scrollWidth'),
        page.locator('main').innerText(),
      ])
      await browser.close()

      expect(reference).toContain('createNode')
      expect(width).toBeLessThanOrEqual(viewport.width)
      expect(foreign).toEqual([])
      expect(errors).toEqual([])
    })
  }
})

function filesOf(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name))
}

function pageOf(file: string): Page {
  const html = readFileSync(file, 'utf8')
  const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))
  return { path: relative(dist, file), html, anchors }
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
}
