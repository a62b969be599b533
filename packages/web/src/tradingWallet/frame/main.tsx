import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startTheme } from '../../data/theme.ts'
import { FrameApp } from './FrameApp.tsx'
import { startHost } from './host.ts'
import '../../styles/tokens.css'
import '../../styles/base.css'
import '../../styles/parts.css'

startTheme()
if (await startHost())
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={new QueryClient()}>
        <FrameApp />
      </QueryClientProvider>
    </StrictMode>,
  )
