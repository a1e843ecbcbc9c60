import { useEffect, useState } from 'preact/hooks'
import { hrefOf, parseRoute, type StudioRoute } from './route.ts'

/** The route in the address of the page. */
export function useRoute(): StudioRoute {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

export function goTo(route: StudioRoute): void {
  location.hash = hrefOf(route)
}
