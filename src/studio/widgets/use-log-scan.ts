import { useRef } from 'preact/hooks'
import { newestHeight } from '../../live/live-feed.ts'
import { type LogCriteria, type ScannedLogs, scanLogs } from '../client/log-scan.ts'
import { useStore, useStudio } from '../client/studio.ts'
import { type Loaded, useRequest } from './use-request.ts'

/** The logs of the chain that meet criteria, with those of new blocks. @param key changes with the criteria */
export function useLogScan(key: string, criteria: LogCriteria): Loaded<ScannedLogs> {
  const { client, live } = useStudio()
  const state = useStore(live.state)
  // After a reorganisation that the page has seen, everything is read again.
  const whole = `${key} ${state.timeline.replaced}`
  const before = useRef<{ readonly key: string; readonly scanned: ScannedLogs } | undefined>(undefined)
  const load = async () => {
    const known = before.current?.key === whole ? before.current.scanned : undefined
    const scanned = await scanLogs(client, criteria, known)
    before.current = { key: whole, scanned }
    return scanned
  }
  return useRequest(key, load, `${newestHeight(state)} ${state.timeline.replaced}`)
}
