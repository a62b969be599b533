import { runProcess } from '@pit/platform/process'
import { readConfig } from './config.ts'
import { startServer } from './startServer.ts'

await runProcess({
  name: 'server',
  start: async (stage, ending) => startServer(readConfig(process.env), stage, ending),
  readyText: ({ url }) => (url === '' ? 'jobs running' : `API at ${url}/api/v1/`),
  portSettings: 'PORT and METRICS_PORT',
})
