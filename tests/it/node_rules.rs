//! Rules of nodes' kernels: are they read as the kernel reads them, and is each change found?

mod compare;
mod dumps;
mod mutations;
mod shown;
mod strange;
