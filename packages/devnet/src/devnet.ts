export interface DevnetOptions {
  host: string
  port: number
  vendorPort: number
  stage: (text: string) => void
  log: (message: string, fields?: Record<string, unknown>) => void
}

export interface Devnet {
  url: string
  vendorsUrl: string
  close(): Promise<void>
}

export async function startDevnet(_options: DevnetOptions): Promise<Devnet> {
  throw new Error('not composed yet')
}
