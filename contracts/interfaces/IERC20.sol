// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title What fixtures call on a token or on WETH.
interface IERC20 {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function approve(address spender, uint256 value) external returns (bool);
}

interface IWETH is IERC20 {
    function deposit() external payable;
}
