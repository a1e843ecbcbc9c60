// The Chromium of this machine, for tests and pictures of the studio.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PATHS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of its program; playwright-core brings none. */
const program = PATHS.find((path) => path !== undefined && existsSync(path))

export const hasBrowser = program !== undefined

/** Said where something is skipped without a browser. */
export const BROWSER_ADVICE = 'install chromium, or set CHROMIUM to its path'

export function launchBrowser() {
  // The sandbox of Chromium needs rights that containers do not give.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
