import { startTheme } from '@pit/ui'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { FrameApp } from './FrameApp.tsx'
import { startHost } from './host.ts'
import '@pit/ui/styles/tokens.css'
import '@pit/ui/styles/base.css'
import '@pit/ui/styles/parts.css'

startTheme()
if (await startHost())
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={new QueryClient()}>
        <FrameApp />
      </QueryClientProvider>
    </StrictMode>,
  )
