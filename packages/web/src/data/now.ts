import { useEffect, useState } from 'react'

/** Unix time in seconds, updated every second. */
export function useNowS(): number {
  const [nowS, setNowS] = useState(() => Math.floor(Date.now() / 1000))
  useEffect(() => {
    const timer = setInterval(() => setNowS(Math.floor(Date.now() / 1000)), 1_000)
    return () => clearInterval(timer)
  }, [])
  return nowS
}
