# Installs retriever for this user:
#
#     irm https://github.com/OWNER/retriever/releases/latest/download/install.ps1 | iex
#
# $env:RETRIEVER_VERSION and $env:RETRIEVER_DIR choose another version and folder.
$ErrorActionPreference = 'Stop'

function Install-Retriever {
    $repository = '@REPOSITORY@'
    $version = if ($env:RETRIEVER_VERSION) { $env:RETRIEVER_VERSION } else { '@VERSION@' }
    $folder = if ($env:RETRIEVER_DIR) { $env:RETRIEVER_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\retriever' }
    $name = "retriever-$version-x86_64-pc-windows-msvc"
    $downloads = if ($env:RETRIEVER_DOWNLOADS) { $env:RETRIEVER_DOWNLOADS } else { "$repository/releases/download/v$version" }
    $scratch = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory $scratch | Out-Null
    try {
        $archive = Join-Path $scratch 'archive.zip'
        Invoke-WebRequest "$downloads/$name.zip" -OutFile $archive
        $sums = (Invoke-WebRequest "$downloads/SHA256SUMS").Content -split "`n"
        $line = $sums | Where-Object { $_ -match "\s$([Regex]::Escape("$name.zip"))\s*$" }
        if (-not $line) { throw "SHA256SUMS does not list $name.zip" }
        $hash = (Get-FileHash $archive -Algorithm SHA256).Hash
        if ($hash -ne ($line -split '\s+')[0]) { throw 'the archive is not the one that was published: its SHA-256 differs' }
        Expand-Archive $archive $scratch
        New-Item -ItemType Directory -Force $folder | Out-Null
        Move-Item -Force (Join-Path $scratch "$name\retriever.exe") (Join-Path $folder 'retriever.exe')
        Write-Output "Installed retriever $version as $folder\retriever.exe."
        if (($env:PATH -split ';') -notcontains $folder) { Write-Output "Add $folder to PATH." }
        Write-Output 'Next: retriever init'
    }
    finally {
        Remove-Item -Recurse -Force $scratch
    }
}

Install-Retriever
