/** The part of autocannon that the benches use; it ships no types. */
declare module 'autocannon' {
  interface Options {
    /** With several, connections take turns between them. */
    url: string | string[]
    headers?: Record<string, string>
    /** Each connection sends them in turn. */
    requests?: { path: string; headers: Record<string, string> }[]
    connections?: number
    /** Seconds. */
    duration?: number
  }
  interface Result {
    requests: { total: number }
    /** Seconds. */
    duration: number
    errors: number
    non2xx: number
  }
  interface Running extends Promise<Result> {
    on(event: 'response', heard: (client: unknown, status: number, bytes: number, ms: number) => void): void
  }
  export default function autocannon(options: Options): Running
}
